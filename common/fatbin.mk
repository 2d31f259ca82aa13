# Every target, every toolkit: what compiles, told apart from what has run.
#   make fatbin               each step as one program for all GPUs from 7.5 on, and the table (a minute)
#   make compile-test-long    steps 3 and 4 against the headers and assemblers of 12.8, 12.9, 13.0 and the newest
#                             toolkit, fetched from PyPI into build/compile (400 MB, some minutes)
# Included by the top Makefile. The short form of the second is tests/bats/clc_compile.bats.

.PHONY: fatbin compile-test-long

fatbin:
	$(GO)common/clc_fatbin.sh

compile-test-long:
	$(GO)tests/compile/run.sh
