-- ```{.output cmd="make step01"}: what the command prints, run by tutorial/outputs.sh before.
-- ```{.generated cmd="..."}: what it prints is Markdown, and stands in the chapter as such.
-- ```{.run} and ```{.sh .manual}: what is to be typed.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'
local listing = require 'listing'

local function through(text, command) -- through a filter of the shell
    return pandoc.system.with_temporary_directory('output', function(folder)
        book.write(folder .. '/text', text)
        return book.pipe('LC_ALL=C.UTF-8 ' .. command .. ' <' .. book.quote(folder .. '/text'))
    end)
end

-- /first/../last/ is from the first line that matches the one to the next that matches the other;
-- /regex/ is the lines that match. What is left out before and behind is shown as dots.
local function cut(text, lines)
    local first, last = lines:match '^/(.*)/%.%./(.*)/$'
    if first then
        local part = through(text, ('sed -nE %s'):format(book.quote(('\\\1%s\1,\\\1%s\1{p;\\\1%s\1q}'):format(first, last, last))))
        if part == '' or not through(part, 'tail -n 1 | grep -E -e ' .. book.quote(last)):match '%S' then return nil end
        return part
    end
    local single = lines:match '^/(.*)/$'
    if not single then return nil, 'lines= wants /regex/../regex/ or /regex/' end
    local part = through(text, 'grep -E -e ' .. book.quote(single))
    return part ~= '' and part or nil
end

local function head(text, count)
    local lines = book.lines(text)
    if #lines <= count then return text end
    return table.concat(lines, '\n', 1, count) .. '\n...\n'
end

local function check_needs(block, text)
    for key, regex in pairs(block.attributes) do
        if key:match '^needs%d*$' and not through(text, 'grep -E -e ' .. book.quote(regex)):match '%S' then
            book.fail(book.place(block), ('what is shown of `%s` does not match %s="%s":\n%s'):format(block.attributes.cmd, key, regex, text))
        end
    end
end

local function captured(block)
    local command = block.attributes.cmd
    local file = book.output_file(command)
    local text, status = book.read(file .. '.out'), book.read(file .. '.exit')
    if not (text and status) then
        book.fail(book.place(block), 'nothing was captured of ' .. command)
        return
    end
    status = tonumber(status)
    local wanted = tonumber(block.attributes.exits or '0')
    if status ~= wanted then
        os.remove(file .. '.exit') -- it is run again next time
        local how = status == 124 and 'was stopped after 120 s' or ('ended with %d, not %d'):format(status, wanted)
        book.fail(book.place(block), ('`%s` %s:\n%s'):format(command, how, text))
        return
    end
    return text
end

local function output(block)
    if not block.attributes.cmd then
        book.fail(book.place(block), 'an output wants cmd=')
        return
    end
    local text = captured(block)
    if not text then return end
    if block.attributes.lines then
        local part, why = cut(text, block.attributes.lines)
        if not part then
            book.fail(book.place(block), (why or 'no such lines (' .. block.attributes.lines .. ') in what `' .. block.attributes.cmd .. '` prints:\n' .. text))
            return
        end
        text = part
    end
    if block.attributes.head then text = head(text, tonumber(block.attributes.head)) end
    if book.has_class(block, 'noids') then text = text:gsub(' *%[%u+%d+%u?%]', '') end
    check_needs(block, text)
    local command = not book.has_class(block, 'quiet') and (block.attributes.show or block.attributes.cmd)
    return listing.terminal(command or nil, text:gsub('%s+$', ''), block)
end

local function generated(block)
    if not block.attributes.cmd then
        book.fail(book.place(block), 'a generated part wants cmd=')
        return
    end
    local text = captured(block)
    if not text then return end
    check_needs(block, text)
    return pandoc.read(text, 'markdown').blocks
end

local function code(block)
    if book.has_class(block, 'output') then return output(block) end
    if book.has_class(block, 'generated') then return generated(block) end
    if book.has_class(block, 'run') then
        return pandoc.Div({ pandoc.CodeBlock(block.text, pandoc.Attr('', { 'bash' })) }, pandoc.Attr(block.identifier, { 'type-this' }))
    end
    if book.has_class(block, 'manual') then
        if not block.attributes.why then book.fail(book.place(block), '.manual wants why=') return end
        local why = pandoc.Div({ pandoc.Plain(pandoc.Str(block.attributes.why)) }, pandoc.Attr('', { 'where' }))
        return pandoc.Div({ why, pandoc.CodeBlock(block.text, pandoc.Attr('', { 'bash' })) }, pandoc.Attr(block.identifier, { 'type-this' }))
    end
end

-- Names of languages that pandoc knows by others.
local function named(block)
    local language = listing.language(block)
    if language and language ~= block.classes[1] then
        block.classes[1] = language
        return block
    end
end

return { { CodeBlock = code }, { CodeBlock = named }, { Pandoc = book.finish } }
