-- Where links lead: #id must be in the book, repo:PATH in the repository, claim:ID in experiments/claims.tsv.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'
local ids = require 'ids'

local claims
local function claim(id)
    if not claims then
        claims = {}
        for _, line in ipairs(book.lines(book.read 'experiments/claims.tsv' or '')) do
            claims[line:match '^[^\t]*'] = line
        end
    end
    return claims[id]
end

local function place(link) return book.place_of('(' .. link.target .. ')') end

local function to_id(link, id)
    local index = book.index()
    if index.ids[id] then return end
    for _, term in pairs(index.terms) do
        if term.id == id then return end
    end
    book.miss(place(link), ('no chapter has the id "%s"'):format(id))
    return link.content -- a chapter alone: the words without the link
end

local kinds = {}

function kinds.repo(link, path)
    if not book.exists((path:gsub('#.*', ''))) then book.fail(place(link), 'the repository has no ' .. path) end
end

function kinds.claim(link, id)
    if not claim(id) then
        book.miss(place(link), ('experiments/claims.tsv has no claim "%s"'):format(id))
    end
    if #link.content > 0 then return end
    return pandoc.Span({ pandoc.Link({ pandoc.Str('measured: ' .. id) }, 'repo:experiments/claims.tsv') }, pandoc.Attr('', { 'claim' }))
end

function kinds.https() end
kinds.http = kinds.https

local function link(element)
    local id = element.target:match '^#(.*)$'
    if id then return to_id(element, id) end
    local kind, rest = element.target:match '^(%a+):(.*)$'
    if kinds[kind] then return kinds[kind](element, rest) end
    book.fail(place(element), ('a link leads to #id, repo:PATH, claim:ID or https://..., not to "%s"'):format(element.target))
end

local function image(element)
    local name = element.src:match '^figure:([%w-]+)$'
    if not name then
        book.fail(book.place_of('(' .. element.src .. ')'), 'a picture is figure:NAME, not "' .. element.src .. '"')
    elseif not pandoc.utils.stringify(element.caption):match '%S' then
        book.fail(book.place_of('(' .. element.src .. ')'), 'a picture wants a text alternative: ![what is to be seen](figure:' .. name .. ')')
    elseif not book.exists('build/figures/' .. name .. '.svg') then
        book.miss(book.place_of('(' .. element.src .. ')'), ('there is no picture %s (build/figures/%s.svg, from make figures)'):format(name, name))
    end
end

local function term(span)
    if not book.has_class(span, 'term') then return end
    return pandoc.Span(span.content, pandoc.Attr(ids.of_term(pandoc.utils.stringify(span)), { 'dfn' }))
end

-- Sections that were given no id of their own, or one without the chapter's name in front.
local function sections(document)
    local title = document.blocks[1]
    return document:walk {
        Header = function(header)
            header.identifier = ids.of_section(header.identifier, title.identifier)
            return header
        end,
    }
end

return { { Link = link, Image = image, Span = term }, { Pandoc = sections }, { Pandoc = book.finish } }
