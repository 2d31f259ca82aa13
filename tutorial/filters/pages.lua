-- For one page a chapter: links to other chapters lead to their pages, and the page knows its neighbours.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'
local index = book.index()
local repository = os.getenv 'BOOK_REPOSITORY' -- from a page of the book

local pages = {}
for _, chapter in ipairs(index.chapters) do pages[chapter.slug] = chapter.page .. '.html' end
local terms = {}
for _, term in pairs(index.terms) do terms[term.id] = term end

local slug

local function link(element)
    local path = element.target:match '^repo:(.*)$'
    if path then
        element.target = repository .. '/' .. path
        return element
    end
    local id = element.target:match '^#(.*)$'
    local place = id and (index.ids[id] or terms[id])
    if not place or place.slug == slug then return end
    element.target = pages[place.slug] .. (id == place.slug and '' or '#' .. id)
    return element
end

local function reference(chapter)
    return chapter and { page = chapter.page .. '.html', title = chapter.title, label = chapter.label }
end

local kinds = { chapter = 'Chapter', appendix = 'Appendix' }

local function neighbours(document)
    slug = document.blocks[1].identifier
    local order, here = {}, nil
    for _, chapter in ipairs(index.chapters) do
        if chapter.kind ~= 'card' then order[#order + 1] = chapter end
        if chapter.slug == slug then
            here = chapter.kind ~= 'card' and #order
            document.meta.kind = kinds[chapter.kind]
            document.meta.label = chapter.label
            document.meta['is-' .. chapter.kind] = true
        end
    end
    document.meta.pagetitle = pandoc.utils.stringify(document.blocks[1])
    document.meta.previous = here and order[here - 1] and reference(order[here - 1])
    document.meta.next = here and order[here + 1] and reference(order[here + 1])
    local count = 0 -- a list of one section says nothing
    document:walk { Header = function(header) if header.level == 2 then count = count + 1 end end }
    document.meta.sections = count > 1 and not document.meta['is-contents']
    return document
end

-- The contents page ends with all chapters, and with the terms and where they are defined.
local function list(kind)
    local items = pandoc.List {}
    for _, chapter in ipairs(index.chapters) do
        if chapter.kind == kind then
            local line = pandoc.List { pandoc.Link({ pandoc.Str(chapter.title) }, '#' .. chapter.slug) }
            if chapter.minutes ~= '' then
                line:extend { pandoc.Space(), pandoc.Span({ pandoc.Str(chapter.minutes .. ' min') }, pandoc.Attr('', { 'minutes' })) }
            end
            items:insert { pandoc.Plain(line) }
        end
    end
    return items
end

local function term_list()
    local names, items = {}, pandoc.List {}
    for name in pairs(index.terms) do names[#names + 1] = name end
    table.sort(names)
    for _, name in ipairs(names) do
        items:insert { pandoc.Plain { pandoc.Link({ pandoc.Str(index.terms[name].text) }, '#' .. index.terms[name].id) } }
    end
    return items
end

local function contents(document)
    if not document.meta['is-contents'] then return end
    local function section(title, id, items, make)
        if #items == 0 then return end
        document.blocks:insert(pandoc.Header(2, { pandoc.Str(title) }, pandoc.Attr(slug .. '-' .. id)))
        document.blocks:insert(pandoc.Div({ make(items) }, pandoc.Attr('', { id })))
    end
    section('Chapters', 'chapters', list 'chapter', pandoc.OrderedList)
    section('Appendices', 'appendices', list 'appendix', function(items)
        return pandoc.OrderedList(items, pandoc.ListAttributes(1, 'UpperAlpha', 'DefaultDelim'))
    end)
    section('To print', 'cards', list 'card', pandoc.BulletList)
    section('Terms', 'terms', term_list(), pandoc.BulletList)
    return document
end

-- Boxes that scroll can be reached by keyboard.
local function reachable(block)
    block.attributes.tabindex = '0'
    return block
end

-- Code in a narrow column may break behind a bracket, a comma or a namespace, sooner than within a name.
local escapes = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' }
local function breakable(code)
    local text = code.text:gsub('[&<>]', escapes):gsub('%(', '(<wbr>'):gsub('::', '::<wbr>')
    return pandoc.RawInline('html', '<code>' .. text .. '</code>')
end

local function reachable_table(div)
    if book.has_class(div, 'table') then return reachable(div:walk { Code = breakable }) end
end

return { { CodeBlock = reachable, Div = reachable_table }, { Pandoc = neighbours }, { Pandoc = contents }, { Link = link }, { Pandoc = book.finish } }
