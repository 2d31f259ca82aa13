-- All chapters, as settled before, in one document: for EPUB and PDF; with BOOK_CARD=1 the card alone. Links to files of the repository become
-- their names, for nobody knows where it lies.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'

local card = os.getenv 'BOOK_CARD' == '1' -- the card is a page of its own, and no part of the book

local function named(link)
    local place = book.index().ids[link.target:match '^#(.*)$']
    if place and (place.kind == 'card') ~= card then return link.content end
    local path = link.target:match '^repo:(.*)$'
    if not path then return end
    if pandoc.utils.stringify(link.content) == path or pandoc.utils.stringify(link.content):match '^measured: ' then return link.content end
    if path:sub(-#pandoc.utils.stringify(link.content)) == pandoc.utils.stringify(link.content) then return pandoc.Code(path) end
    local words = pandoc.List(link.content)
    words:extend { pandoc.Space(), pandoc.Str '(', pandoc.Code(path), pandoc.Str ')' }
    return pandoc.Span(words)
end

local function number(chapter, header)
    if chapter.label ~= '' then
        header.content:insert(1, pandoc.Span({ pandoc.Str(chapter.label .. '.') }, pandoc.Attr('', { 'chapter-number' })))
        header.content:insert(2, pandoc.Space())
    end
    header.classes:insert(chapter.kind)
end

-- The terms at the end, with the places where they are defined.
local function terms()
    local names, items = {}, pandoc.List {}
    local known = book.index().terms
    for name in pairs(known) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
        items:insert { pandoc.Plain { pandoc.Link({ pandoc.Str(known[name].text) }, '#' .. known[name].id) } }
    end
    if #items == 0 then return {} end
    return { pandoc.Header(1, { pandoc.Str 'Terms' }, pandoc.Attr('terms', { 'unnumbered' })), pandoc.Div({ pandoc.BulletList(items) }, pandoc.Attr('', { 'terms' })) }
end

local function whole(document)
    for _, chapter in ipairs(book.index().chapters) do
        if (chapter.kind == 'card') == card then
            local part = pandoc.read(book.read(os.getenv 'BOOK_WORK' .. '/' .. chapter.slug .. '.json'), 'json')
            number(chapter, part.blocks[1])
            document.blocks:extend(part.blocks)
        end
    end
    if card then
        document.meta['is-card'] = true
        document.meta.pagetitle = pandoc.utils.stringify(document.blocks[1])
    else
        document.blocks:extend(terms())
    end
    return document
end

return { { Pandoc = whole }, { Link = named } }
