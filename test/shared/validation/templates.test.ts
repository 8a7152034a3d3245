import { expect, test } from 'vitest'
import { problemsOf, withHandler, withText, withTool } from '../../fixtures/definitions.ts'

test.each([
  ['{{ city', 'is not valid Liquid: output "{{ city" not closed (line 1, column 1)'],
  ['a\n{% if city %}', 'is not valid Liquid: tag {% if city %} not closed (line 2, column 1)'],
  ['{{ city | upcas }}', 'undefined filter: upcas (line 1, column 1); did you mean "upcase"?'],
  ['{% include "other" %}', 'tag "include" not found'],
  ['{{ env.TOKN }}', 'reads env.TOKN, which is not declared; did you mean env.TOKEN?'],
  ['{{ env.PATH }}', 'reads env.PATH, which is not declared; add "PATH" to "env"'],
])('rejects the template %j', (text, sentence) => {
  const [problem] = problemsOf(withText(text, { env: ['TOKEN'] }))
  expect(problem).toContain(`tools[0].handler.text: `)
  expect(problem).toContain(sentence)
})

test('reports the path of an invalid nested template', () => {
  expect(problemsOf(withHandler({ type: 'template', json: { days: [{ low: '{{' }] } }))[0]).toMatch(
    /^tools\[0\]\.handler\.json\.days\[0\]\.low: is not valid Liquid/,
  )
})

test('rejects a name that never has a value when no additional arguments are allowed', () => {
  const inputSchema = { type: 'object', properties: { city: {} }, additionalProperties: false }
  const template =
    '{{ citty }}{{ args.country }}{{ city }}{{ data.x }}{{ context.user_id }}{% assign a = 1 %}{{ a }}'
  const handler = { type: 'template', text: template }
  expect(problemsOf(withTool({ inputSchema, handler }))).toEqual([
    'tools[0].handler.text: reads "citty", which does not exist; did you mean "city"?',
    'tools[0].handler.text: reads "country", which does not exist; known names: "city"',
  ])
  expect(problemsOf(withTool({ handler }))).toEqual([])
})

test('rejects a template with too many tags', () => {
  expect(problemsOf(withText('{{ city }}'.repeat(2001)))).toEqual([
    'tools[0].handler.text: has 2001 tags and outputs; the maximum is 2000',
  ])
})
