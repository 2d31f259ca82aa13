-- How a piece of code, a diff or an output stands in the book.
local listing = {}

local languages = { make = 'makefile', sh = 'bash', mk = 'makefile', py = 'python' }
local ours = { nocomments = true, manual = true, noids = true, quiet = true }

function listing.language(block)
    for _, class in ipairs(block.classes) do
        if not ours[class] then return languages[class] or class end
    end
end

-- A Div.listing: the code, below where it comes from.
function listing.of(text, language, caption, block)
    local code = pandoc.CodeBlock(text, pandoc.Attr('', { language }))
    local where = pandoc.Div({ pandoc.Plain { pandoc.Str(caption) } }, pandoc.Attr('', { 'where' }))
    return pandoc.Div({ where, code }, pandoc.Attr(block.identifier, { 'listing' }))
end

-- A Div.terminal: what is typed, and what comes back.
function listing.terminal(command, text, block)
    local parts = {}
    if command then parts[#parts + 1] = pandoc.CodeBlock('$ ' .. command, pandoc.Attr('', { 'typed' })) end
    if text then parts[#parts + 1] = pandoc.CodeBlock(text, pandoc.Attr('', { 'printed' })) end
    return pandoc.Div(parts, pandoc.Attr(block.identifier, { 'terminal' }))
end

return listing
