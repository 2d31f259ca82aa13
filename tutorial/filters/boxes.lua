-- Divs of a chapter, with the words that name them: question, predict with its answer, note, remember, exercises.
package.path = pandoc.path.directory(PANDOC_SCRIPT_FILE) .. '/lib/?.lua;' .. package.path
local book = require 'book'

local labels = {
    question = 'The question', predict = 'Predict', note = 'Note', remember = 'What to remember', exercises = 'Exercises',
}

local function label(text)
    return pandoc.Div({ pandoc.Para { pandoc.Str(text) } }, pandoc.Attr('', { 'label' }))
end

-- Folded away where a page can fold; elsewhere set apart.
local function answer(div)
    if book.target == 'html' then
        local blocks = pandoc.List { pandoc.RawBlock('html', '<details class="answer"><summary>Answer</summary>') }
        blocks:extend(div.content)
        blocks:insert(pandoc.RawBlock('html', '</details>'))
        return blocks
    end
    div.content:insert(1, label 'Answer')
    return div
end

local function box(div)
    if book.has_class(div, 'answer') then return answer(div) end
    for _, class in ipairs(div.classes) do
        if labels[class] and not (div.content[1] and div.content[1].t == 'Header') then
            div.content:insert(1, label(labels[class]))
            return div
        end
    end
end

return { { Div = box } }
