-- Tables take the width that their text needs: pandoc would give the columns of a table with long lines shares
-- of the page by the dashes in the source.
-- A column without a heading says so to those who hear the page.
local function headed(rows)
    for _, row in ipairs(rows) do
        for _, cell in ipairs(row.cells) do
            if #cell.contents == 0 then
                cell.contents:insert(pandoc.Plain { pandoc.Span({ pandoc.Str 'no heading' }, pandoc.Attr('', { 'hidden' })) })
            end
        end
    end
end

local function table_(element)
    for number, spec in ipairs(element.colspecs) do
        element.colspecs[number] = { spec[1], nil }
    end
    headed(element.head.rows)
    return pandoc.Div({ element }, pandoc.Attr('', { 'table' })) -- which scrolls
end

return { { Table = table_ } }
