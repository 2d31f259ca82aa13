-- Excerpts from files of the repository, by name: source.excerpt(file, region) gives its lines and the number
-- of the first, or nil and what is wrong. The kinds of region:
--   section:the kernel       between the banner /* ---- the kernel ---- */ and the next
--   line:flip                the comment that starts with `flip:` and the statement below it
--   line:flip..wait          from the first to the last, both included
--   function:name            the whole function
--   after:TEXT..before:TEXT  from the first line with the one up to the line before the other
--   mark:NAME                between // [region NAME] and // [endregion NAME]
local book = require 'book'
local source = {}

local function find(lines, text, from)
    for number = from or 1, #lines do
        if lines[number]:find(text, 1, true) then return number end
    end
end

local kinds = {}

function kinds.section(lines, name)
    local first, last = find(lines, '/* ---- ' .. name .. ' ---- */'), #lines + 1
    if not first then return nil, 'has no section "' .. name .. '"' end
    for number = first + 1, #lines do
        if lines[number]:match '^/%* %-%-%-%- .* %-%-%-%- %*/' then last = number break end
    end
    return first + 1, last - 1
end

local function is_comment(line) return line:match '^%s*//' or line:match '^%s*#' end

-- The last line of the statement that begins on a line: its brackets are closed, and it ends with ; or }.
local function statement_end(lines, number)
    local depth = 0
    while lines[number] do
        local code = lines[number]:gsub('//.*', ''):gsub('"[^"]*"', '')
        depth = depth + select(2, code:gsub('[({]', '')) - select(2, code:gsub('[)}]', ''))
        if depth <= 0 and code:match '[;}]%s*$' then return number end
        number = number + 1
    end
end

local function named_line(lines, name)
    for number, line in ipairs(lines) do
        if line:match '^%s*//%s' and line:match('^%s*//%s+(%S+):') == name then
            local last = number + 1
            while lines[last] and is_comment(lines[last]) do last = last + 1 end
            last = statement_end(lines, last)
            if last then return number, last end
        end
    end
    return nil, 'has no line called "' .. name .. '"'
end

function kinds.line(lines, name)
    local from, to = name:match '^(.-)%.%.(.*)$'
    if not from then return named_line(lines, name) end
    local first, why = named_line(lines, from)
    if not first then return nil, why end
    local start, last = named_line(lines, to)
    if not start then return nil, last end
    if last < first then return nil, ('has "%s" before "%s"'):format(to, from) end
    return first, last
end

kinds['function'] = function(lines, name)
    local pattern = '%f[%w_]' .. name:gsub('[^%w_]', '%%%0') .. '%('
    for number, line in ipairs(lines) do
        if line:match '^[%a_]' and line:find(pattern) and not line:gsub('//.*', ''):match ';%s*$' then
            local first = number
            while first > 1 and lines[first - 1]:match '^[%a_]' and not lines[first - 1]:match '[;}]%s*$' do first = first - 1 end
            if line:match '}%s*$' then return first, number end
            for last = number + 1, #lines do
                if lines[last]:match '^}' then return first, last end
            end
        end
    end
    return nil, 'has no function "' .. name .. '"'
end

function kinds.after(lines, name)
    local from, to = name:match '^(.-)%.%.before:(.*)$'
    if not from then return nil, 'after: wants after:TEXT..before:TEXT' end
    local first = find(lines, from)
    if not first then return nil, 'has no line with "' .. from .. '"' end
    local last = find(lines, to, first + 1)
    if not last then return nil, ('has no line with "%s" after line %d'):format(to, first) end
    return first, last - 1
end

function kinds.mark(lines, name)
    local first = find(lines, '[region ' .. name .. ']')
    local last = first and find(lines, '[endregion ' .. name .. ']', first)
    if not last then return nil, ('has no [region %s] ... [endregion %s]'):format(name, name) end
    return first + 1, last - 1
end

local function cut(lines, first, last)
    while first <= last and lines[first]:match '^%s*$' do first = first + 1 end
    while first <= last and lines[last]:match '^%s*$' do last = last - 1 end
    local part = {}
    for number = first, last do
        if not lines[number]:match '%[e?n?d?region [^%]]*%]' then part[#part + 1] = lines[number] end
    end
    return part, first
end

local function dedent(lines)
    local margin
    for _, line in ipairs(lines) do
        local blanks = line:match '^( *)%S'
        if blanks and (not margin or #blanks < margin) then margin = #blanks end
    end
    for number, line in ipairs(lines) do lines[number] = line:sub((margin or 0) + 1) end
    return lines
end

-- Without lines that are comments, and without the blank lines that would then follow each other.
function source.without_comments(lines)
    local kept, inside = {}, false
    for _, line in ipairs(lines) do
        local comment = inside or line:match '^%s*//' or line:match '^%s*/%*' or line:match '^%s*%.loc%s' -- PTX: whose line it is
        if comment then
            if line:match '^%s*/%*' then inside = true end
            if line:match '%*/' then inside = false end
        elseif not (line:match '^%s*$' and (#kept == 0 or kept[#kept]:match '^%s*$' or kept[#kept]:match '{%s*$')) then
            kept[#kept + 1] = line
        end
    end
    return kept
end

function source.excerpt(file, region, nocomments)
    local text = book.read(file)
    if not text then return nil, 'there is no file ' .. file end
    local lines = book.lines(text)
    local first, last = 1, #lines
    if region and region ~= '' then
        local kind, name = region:match '^(%a+):(.*)$'
        if not kinds[kind] then
            return nil, ('"%s" is no region: section: line: function: after: mark:'):format(region)
        end
        first, last = kinds[kind](lines, name)
        if not first then return nil, file .. ' ' .. last end
    end
    local part, number = cut(lines, first, last)
    if #part == 0 then return nil, ('%s has nothing in "%s"'):format(file, region) end
    if nocomments then part = source.without_comments(part) end
    return dedent(part), number
end

return source
