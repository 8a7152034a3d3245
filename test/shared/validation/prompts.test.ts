import { expect, test } from 'vitest'
import { problemsOf, withPrompt } from '../../fixtures/definitions.ts'

test.each([
  [{ template: undefined }, 'prompts[0].template: is required: a string'],
  [{ template: '{{' }, 'prompts[0].template: is not valid Liquid'],
  [{ completions: { nam: ['Ada'] } }, 'prompts[0].completions.nam: is not a variable of the prompt "letter"'],
  [
    { arguments: [{ name: 'nmae' }] },
    'prompts[0].arguments[0].name: "nmae" is not read by the prompt; did you mean "name"?',
  ],
  [
    { messages: [{ role: 'system', content: { type: 'text', text: '' } }] },
    'prompts[0].messages[0].role: "system" is not one of "user", "assistant"',
  ],
])('a prompt with %j is refused', (extra, sentence) => {
  expect(problemsOf(withPrompt(extra)).join('\n')).toContain(sentence)
})
