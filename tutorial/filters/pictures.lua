-- ![what is to be seen](figure:NAME): build/figures/NAME.svg. In HTML it stands in the page, as text that scales and
-- can be searched; elsewhere it is an image.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'

local function escape(text)
    return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }))
end

-- Its ids begin with the picture's name already, so that several can share a page.
local function inlined(svg, alternative)
    svg = svg:gsub('^.-<svg', '<svg', 1):gsub('\n%s*\n', '\n')
    svg = svg:gsub('%s(aria%-%w+)="[^"]*"', ''):gsub('%srole="[^"]*"', '')
    svg = svg:gsub('%s*<title.->.-</title>', '') -- else they are shown wherever the pointer rests
    return (svg:gsub('<svg', '<svg role="img" aria-label="' .. escape(alternative) .. '"', 1))
end

local function picture(image)
    local name = image.src:match '^figure:([%w-]+)$'
    if not name then return end
    local file = 'build/figures/' .. name .. '.svg'
    local alternative = pandoc.utils.stringify(image.caption)
    local svg = book.read(file)
    if not svg then return pandoc.Span({ pandoc.Str('[picture ' .. name .. ': ' .. alternative .. ']') }) end
    if book.target == 'html' then
        return pandoc.RawInline('html', '<span class="picture" tabindex="0" role="group" aria-label="Picture">' .. inlined(svg, alternative) .. '</span>')
    end
    return pandoc.Image(image.caption, file, '', pandoc.Attr('', { 'picture' }))
end

return { { Image = picture } }
