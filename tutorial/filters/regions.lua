-- ```{.cuda file="step03_clc_blocks/clc_blocks.cu" region="line:flip"}: lines of a file, with file and line.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'
local source = require 'source'
local listing = require 'listing'

local function region(block)
    local file = block.attributes.file
    if not file then return end
    if block.text:match '%S' then
        book.fail(book.place(block), 'a block with file= is filled from that file: leave it empty')
        return
    end
    local lines, number = source.excerpt(file, block.attributes.region, book.has_class(block, 'nocomments'))
    if not lines then
        book.fail(book.place(block), number)
        return
    end
    return listing.of(table.concat(lines, '\n'), listing.language(block), file .. ':' .. number, block)
end

return { { CodeBlock = region }, { Pandoc = book.finish } }
