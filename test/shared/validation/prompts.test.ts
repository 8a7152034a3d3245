import { expect, test } from 'vitest'
import { problemsOf, withPrompt } from '../../fixtures/definitions.ts'

test.each([
  [{ template: undefined }, 'prompts[0].template: is required (a string)'],
  [{ template: '{{' }, 'prompts[0].template: is not valid Liquid'],
  [{ completions: { nam: ['Ada'] } }, 'prompts[0].completions.nam: is not a variable of the prompt "letter"'],
  [
    { arguments: [{ name: 'nmae' }] },
    'prompts[0].arguments[0].name: "nmae" is not used by the prompt; did you mean "name"?',
  ],
  [
    { messages: [{ role: 'system', content: { type: 'text', text: '' } }] },
    'prompts[0].messages[0].role: "system" is not one of "user", "assistant"',
  ],
  [
    { handler: { type: 'module', path: 'a.ts' } },
    'prompts[0].handler: template "advanced" does not support "module" handlers; set "template": "custom"',
  ],
])('rejects a prompt with %j', (extra, sentence) => {
  expect(problemsOf(withPrompt(extra)).join('\n')).toContain(sentence)
})

test('a prompt with a module handler needs no template and rejects one', () => {
  const handler = { type: 'module', path: 'prompts/letter.ts' }
  const custom = { ...withPrompt({ handler, template: undefined }), template: 'custom', source: 'src_1' }
  expect(problemsOf(custom)).toEqual([])
  const both = { ...withPrompt({ handler }), template: 'custom', source: 'src_1' }
  expect(problemsOf(both)).toEqual(['prompts[0]: has "template" and "handler"; only one is allowed'])
})
