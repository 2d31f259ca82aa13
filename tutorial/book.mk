# The book: tutorial/en becomes build/book. How is in tutorial/book.sh.

.PHONY: book book-html book-epub book-pdf book-ready

book-ready: emulator figures

book: book-ready
	$(GO)tutorial/book.sh html epub pdf $(SAY_EXIT)

book-html: book-ready
	$(GO)tutorial/book.sh $(if $(CHAPTER),--chapter "$$CHAPTER") html $(SAY_EXIT)

book-epub book-pdf: book-%: book-ready
	$(GO)tutorial/book.sh $* $(SAY_EXIT)
