-- Reads JSON: objects and arrays become tables, null becomes nil. Not for writing, and strict enough for
-- files that programs wrote.
local json = {}

local value

local function blanks(text, at) return text:find('%S', at) or #text + 1 end

local function bad(text, at)
    error(('not JSON at byte %d: %s'):format(at, text:sub(at, at + 20)), 0)
end

local escapes = { b = '\b', f = '\f', n = '\n', r = '\r', t = '\t', ['"'] = '"', ['\\'] = '\\', ['/'] = '/' }

local function string_(text, at) -- behind the quote
    local stop = at
    while text:sub(stop, stop) ~= '"' do
        if stop > #text then bad(text, at) end
        stop = stop + (text:sub(stop, stop) == '\\' and 2 or 1)
    end
    local raw = text:sub(at, stop - 1):gsub('\\u(%x%x%x%x)', function(hex) return utf8.char(tonumber(hex, 16)) end)
    return raw:gsub('\\(.)', escapes), stop + 1
end

local function members(text, at, close, one)
    local result = {}
    at = blanks(text, at)
    if text:sub(at, at) == close then return result, at + 1 end
    while true do
        at = one(result, at)
        at = blanks(text, at)
        local mark = text:sub(at, at)
        if mark == close then return result, at + 1 end
        if mark ~= ',' then bad(text, at) end
        at = blanks(text, at + 1)
    end
end

local function object(text, at)
    return members(text, at, '}', function(result, here)
        if text:sub(here, here) ~= '"' then bad(text, here) end
        local key
        key, here = string_(text, here + 1)
        here = blanks(text, here)
        if text:sub(here, here) ~= ':' then bad(text, here) end
        result[key], here = value(text, here + 1)
        return here
    end)
end

local function array(text, at)
    local count = 0
    return members(text, at, ']', function(result, here)
        count = count + 1
        result[count], here = value(text, here)
        return here
    end)
end

local words = { ['true'] = true, ['false'] = false, null = nil }

function value(text, at)
    at = blanks(text, at)
    local first = text:sub(at, at)
    if first == '{' then return object(text, at + 1) end
    if first == '[' then return array(text, at + 1) end
    if first == '"' then return string_(text, at + 1) end
    local number = text:match('^-?%d+%.?%d*[eE]?[-+]?%d*', at)
    if number then return tonumber(number), at + #number end
    local word = text:match('^%a+', at)
    if not word or (words[word] == nil and word ~= 'null') then bad(text, at) end
    return words[word], at + #word
end

function json.decode(text)
    local result, at = value(text, 1)
    if blanks(text, at) <= #text then bad(text, at) end
    return result
end

-- The value at a path such as runs[0].median, or nil.
-- The one object of a list whose members are as KEY=VALUE,... says; nil if there is none or another one.
local function chosen(list, selector)
    local found
    for _, one in ipairs(list) do
        local fits = true
        for key, wanted in selector:gmatch '([^=,]+)=([^,]*)' do fits = fits and tostring(one[key]) == wanted end
        if fits and found then return nil end
        found = fits and one or found
    end
    return found
end

-- What stands at a path such as runs[0].median or runs[set=guide,threads=256].median.
function json.at(document, path)
    for step in path:gmatch '%[?[^.%[%]]+%]?' do
        if type(document) ~= 'table' then return nil end
        local selector = step:match '^%[(.*)%]$'
        if not selector then
            document = document[step]
        elseif selector:find '=' then
            document = chosen(document, selector)
        else
            document = document[(tonumber(selector) or -1) + 1]
        end
    end
    return document
end

return json
