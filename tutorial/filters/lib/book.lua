-- What all filters of the book share: where things are, and how an error is told.
-- A filter reports as many errors as it finds, each with the chapter's file and line, and book.finish ends
-- the run if there were any. With BOOK_LENIENT=1 what only the whole book can satisfy is a warning.
local book = {}

book.lenient = os.getenv 'BOOK_LENIENT' == '1'
book.target = os.getenv 'BOOK_TARGET' or 'html' -- html, epub or pdf

local work = os.getenv 'BOOK_WORK'       -- index and whatever else this build makes
local outputs = os.getenv 'BOOK_OUTPUTS' -- what commands printed
local errors = 0

-- --- files -----------------------------------------------------------------------

function book.read(path) -- its text, or nil
    local file = io.open(path, 'rb')
    local text = file and file:read 'a' -- nil for a folder
    if file then file:close() end
    return text
end

function book.write(path, text)
    local file = assert(io.open(path, 'wb'))
    file:write(text)
    assert(file:close())
end

function book.exists(path) -- a folder too
    return os.rename(path, path) ~= nil
end

function book.lines(text)
    local lines = {}
    for line in (text:gsub('\n$', '') .. '\n'):gmatch '(.-)\r?\n' do lines[#lines + 1] = line end
    return lines
end

function book.quote(word) -- for the shell
    return "'" .. word:gsub("'", "'\\''") .. "'"
end

-- What a command of ours prints.
function book.pipe(command)
    local pipe = assert(io.popen(command, 'r'))
    local text = pipe:read 'a'
    pipe:close()
    return text
end

-- --- the chapter -----------------------------------------------------------------

book.chapter = PANDOC_STATE.input_files[1] or '-'

-- pandoc keeps no positions: the line is the one in which all that is known of the place stands and least
-- else; of equals the first.
function book.line(file, ...)
    local best, length
    for number, line in ipairs(book.lines(book.read(file) or '')) do
        local found = true
        for _, needle in ipairs { ... } do
            found = found and line:find(needle, 1, true) ~= nil
        end
        if found and (not best or #line < length) then best, length = number, #line end
    end
    return best
end

-- The file and line of a block or span that has attributes, as precise as its values allow.
function book.place(element, file)
    file = file or book.chapter
    local needles = {}
    for _, class in ipairs(element.classes or {}) do
        if class ~= 'sourceCode' then needles[#needles + 1] = '.' .. class end
    end
    for key, value in pairs(element.attributes or {}) do
        needles[#needles + 1] = key .. '="' .. value:gsub('\\', '\\\\'):gsub('"', '\\"') .. '"'
    end
    local line = book.line(file, table.unpack(needles))
    for _, needle in ipairs(needles) do -- an attribute written in another way: whatever of it is found
        line = line or (needle:find '=' and book.line(file, needle))
    end
    for key, value in pairs(element.attributes or {}) do
        line = line or book.line(file, key .. '=', value)
    end
    return file .. ':' .. (line or 1)
end

function book.place_of(text, file)
    file = file or book.chapter
    return file .. ':' .. (book.line(file, text) or 1)
end

-- The same, of the last of several.
function book.last_place_of(text, file)
    local last = 1
    for number, line in ipairs(book.lines(book.read(file))) do
        if line:find(text, 1, true) then last = number end
    end
    return file .. ':' .. last
end

-- --- errors ----------------------------------------------------------------------

function book.fail(place, message)
    io.stderr:write(place, ': ', message, '\n')
    errors = errors + 1
end

function book.warn(place, message)
    io.stderr:write(place, ': warning: ', message, '\n')
end

-- An error, unless only a chapter is looked at.
function book.miss(place, message)
    if book.lenient then book.warn(place, message) else book.fail(place, message) end
end

-- Last in every filter.
function book.finish()
    if errors > 0 then
        io.stderr:flush()
        os.exit(1)
    end
end

-- --- the whole book ----------------------------------------------------------------

local index
function book.index() -- made by index.lua
    index = index or dofile(work .. '/index.lua')
    return index
end

function book.output_file(command)
    return outputs .. '/' .. pandoc.utils.sha1(command)
end

function book.has_class(element, class)
    for _, name in ipairs(element.classes) do
        if name == class then return true end
    end
    return false
end

return book
