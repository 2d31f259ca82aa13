-- ```{.diff from="a.cu" to="b.cu" region="section:the kernel"}: the difference, made by diff -u.
-- from-region= and to-region= where the two are called differently; context=N, default the whole region.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'
local source = require 'source'
local listing = require 'listing'

local function side(block, name)
    local lines, number = source.excerpt(block.attributes[name],
        block.attributes[name .. '-region'] or block.attributes.region, book.has_class(block, 'nocomments'))
    if not lines then book.fail(book.place(block), number) end
    return lines, number
end

local function difference(from, to, context)
    return pandoc.system.with_temporary_directory('diff', function(folder)
        book.write(folder .. '/from', table.concat(from, '\n') .. '\n')
        book.write(folder .. '/to', table.concat(to, '\n') .. '\n')
        return book.pipe(('LC_ALL=C diff -U%d %s/from %s/to'):format(context, folder, folder))
    end)
end

local function diff(block)
    local from, to = block.attributes.from, block.attributes.to
    if not (from or to) then return end
    if not (from and to) then
        book.fail(book.place(block), 'a diff wants from= and to=')
        return
    end
    local before, from_line = side(block, 'from')
    local after, to_line = side(block, 'to')
    if not (before and after) then return end
    local lines = book.lines(difference(before, after, tonumber(block.attributes.context) or 999))
    if #lines < 4 then
        book.fail(book.place(block), from .. ' and ' .. to .. ' do not differ there')
        return
    end
    local body = {}
    for number = 3, #lines do -- without the two names, which the caption has
        if not (lines[number]:match '^@@' and number == 3) then body[#body + 1] = lines[number] end
    end
    return listing.of(table.concat(body, '\n'), 'diff', ('%s:%d → %s:%d'):format(from, from_line, to, to_line), block)
end

return { { CodeBlock = diff }, { Pandoc = book.finish } }
