-- []{.figure file="..." match="uniform +([0-9.]+)"}: a number from a file of results, never typed by hand.
-- match= is a Lua pattern that fits exactly one line, and its first group is shown; json= is a path such as
-- runs[0].median or runs[set=guide,threads=256].median (the one run with these); format= (as in printf) and times= (a factor) shape a number.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'
local json = require 'json'

local function matched(text, pattern, file)
    local found, count, where = nil, 0, nil
    for number, line in ipairs(book.lines(text)) do
        local group = line:match(pattern)
        if group then found, count, where = group, count + 1, number end
    end
    if count ~= 1 then return nil, ('%d lines of %s match "%s", not one'):format(count, file, pattern) end
    return found, where
end

local function value_of(span)
    local file = span.attributes.file
    local text = file and book.read(file)
    if not text then return nil, 'there is no file ' .. (file or '(file= is missing)') end
    if span.attributes.match then return matched(text, span.attributes.match, file) end
    if not span.attributes.json then return nil, 'a figure wants match= or json=' end
    local right, document = pcall(json.decode, text)
    if not right then return nil, file .. ' is ' .. document end
    local value = json.at(document, span.attributes.json)
    if value == nil or type(value) == 'table' then return nil, ('%s has no value at %s'):format(file, span.attributes.json) end
    return value
end

local function shaped(value, span)
    if span.attributes.times then value = tonumber(value) * tonumber(span.attributes.times) end
    if span.attributes.format then return span.attributes.format:format(tonumber(value) or value) end
    return tostring(value)
end

local function figure(span)
    if not book.has_class(span, 'figure') then return end
    local value, where = value_of(span)
    if value == nil then
        book.fail(book.place(span), where)
        return
    end
    local fits, text = pcall(shaped, value, span)
    if not fits then
        book.fail(book.place(span), ('"%s" does not fit format= or times='):format(value))
        return
    end
    local from = span.attributes.file .. (where and ':' .. where or '')
    return pandoc.Span({ pandoc.Str(text) }, pandoc.Attr('', { 'number' }, { title = from }))
end

return { { Span = figure }, { Pandoc = book.finish } }
