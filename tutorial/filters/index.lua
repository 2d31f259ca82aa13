-- Reads all chapters, one after the other, and writes what only the whole book knows: index.lua (chapters in
-- order, ids, terms), commands.tsv (what .output blocks run) and run.tsv (what .run blocks show).
-- Input: nothing; the chapters' files stand one a line in $BOOK_WORK/chapters.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'
local ids = require 'ids'

local index = { chapters = {}, ids = {}, terms = {} }
local commands, runs = {}, {}
local only = os.getenv 'BOOK_CHAPTER' -- a slug: commands of this chapter alone

local function kind_of(file)
    local number = tonumber(file:match '/(%d+)%-[^/]*$')
    if not number then return 'card' end
    return number == 0 and 'contents' or number >= 90 and 'appendix' or 'chapter'
end

local function add_id(written, file, slug, title)
    local id = title and ids.of_section(written, slug) or written
    local known = index.ids[id]
    if known then
        book.miss(book.last_place_of('#' .. written, file), ('the id "%s" is taken by %s'):format(id, known.file))
    else
        index.ids[id] = { slug = slug, file = file, kind = kind_of(file) }
    end
end

local function add_term(span, file, slug)
    local text = pandoc.utils.stringify(span)
    if index.terms[text:lower()] then
        book.miss(book.last_place_of('[' .. text .. ']{.term', file), ('the term "%s" is defined in %s too'):format(text, index.terms[text:lower()].file))
    else
        index.terms[text:lower()] = { text = text, id = ids.of_term(text), slug = slug, file = file }
    end
end

-- One command a line; a \ at its end joins the next to it.
local function add_runs(block, file)
    local first, whole = nil, ''
    for _, line in ipairs(book.lines(block.text)) do
        first, whole = first or line, whole .. line:match '^%s*(.*)$'
        if whole:match '\\$' then
            whole = whole:gsub('%s*\\$', ' ')
        else
            local command, status = whole:match '^(.-)%s+#%s*exit (%d+)%s*$'
            command, status = command or whole, status or '0'
            if command:match '%S' and not command:match '^#' then
                runs[#runs + 1] = table.concat({ book.place_of(first, file), status, command }, '\t')
            end
            first, whole = nil, ''
        end
    end
end

local counts = { chapter = 0, appendix = 0 }

local function label(kind)
    if not counts[kind] then return '' end
    counts[kind] = counts[kind] + 1
    return kind == 'appendix' and string.char(64 + counts[kind]) or tostring(counts[kind])
end

local function add_chapter(file)
    local document = pandoc.read(book.read(file), 'markdown')
    local title = document.blocks[1]
    if not title or title.t ~= 'Header' or title.level ~= 1 or title.identifier == '' then
        book.fail(file .. ':1', 'a chapter begins with # Title {#slug}')
        return
    end
    local kind, slug = kind_of(file), title.identifier
    index.chapters[#index.chapters + 1] = {
        file = file, slug = slug, title = pandoc.utils.stringify(title), kind = kind, label = label(kind),
        page = kind == 'contents' and 'index' or slug,
        minutes = document.meta.minutes and pandoc.utils.stringify(document.meta.minutes) or '',
    }
    if only and only ~= '' and only ~= slug then -- of a chapter not asked for, only where links lead
        document.blocks = document.blocks:walk {
            CodeBlock = function(block) block.classes = {} return block end,
        }
    end
    document:walk {
        Header = function(header) add_id(header.identifier, file, slug, pandoc.utils.stringify(header)) end,
        Div = function(div) if div.identifier ~= '' then add_id(div.identifier, file, slug) end end,
        CodeBlock = function(block)
            if block.identifier ~= '' then add_id(block.identifier, file, slug) end
            if (book.has_class(block, 'output') or book.has_class(block, 'generated')) and block.attributes.cmd then
                commands[#commands + 1] = pandoc.utils.sha1(block.attributes.cmd) .. '\t' .. book.place(block, file) .. '\t' .. block.attributes.cmd
            elseif book.has_class(block, 'run') then
                add_runs(block, file)
            end
        end,
        Span = function(span)
            if book.has_class(span, 'term') then add_term(span, file, slug) end
            if span.identifier ~= '' then add_id(span.identifier, file, slug) end
        end,
    }
end

local function dump(value)
    if type(value) ~= 'table' then return ('%q'):format(value) end
    local keys, parts = {}, {}
    for key in pairs(value) do keys[#keys + 1] = key end
    table.sort(keys, function(a, b)
        if type(a) == type(b) then return a < b end
        return type(a) == 'number'
    end)
    for _, key in ipairs(keys) do parts[#parts + 1] = '[' .. ('%q'):format(key) .. ']=' .. dump(value[key]) end
    return '{' .. table.concat(parts, ',\n') .. '}'
end

function Pandoc()
    local work = os.getenv 'BOOK_WORK'
    for _, file in ipairs(book.lines(book.read(work .. '/chapters'))) do add_chapter(file) end
    book.finish()
    local found = not only or only == ''
    local slugs = {}
    for _, chapter in ipairs(index.chapters) do
        found = found or chapter.slug == only
        slugs[#slugs + 1] = chapter.slug
    end
    if not found then
        io.stderr:write('book: no chapter is called ', only, '; there are: ', table.concat(slugs, ' '), '\n')
        os.exit(2)
    end
    book.write(work .. '/index.lua', 'return ' .. dump(index) .. '\n')
    local list = {}
    for _, chapter in ipairs(index.chapters) do
        if not only or only == '' or only == chapter.slug then list[#list + 1] = table.concat({ chapter.file, chapter.slug, chapter.page }, '\t') end
    end
    book.write(work .. '/list.tsv', table.concat(list, '\n') .. '\n')
    book.write(work .. '/commands.tsv', table.concat(commands, '\n') .. (#commands > 0 and '\n' or ''))
    book.write(work .. '/run.tsv', table.concat(runs, '\n') .. (#runs > 0 and '\n' or ''))
    return pandoc.Pandoc {}
end
