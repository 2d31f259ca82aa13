-- Names of places. A section's id begins with the slug of its chapter, so that ids are unique in the book.
local ids = {}

function ids.of_section(id, slug)
    if id == slug or id:sub(1, #slug + 1) == slug .. '-' then return id end
    return slug .. '-' .. id
end

function ids.of_term(text)
    return 'term-' .. text:lower():gsub('[^%w]+', '-'):gsub('^%-+', ''):gsub('%-+$', '')
end

return ids
