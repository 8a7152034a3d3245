import { expect, test } from 'vitest'
import { problemsOf, withResource } from '../../fixtures/definitions.ts'

test.each([
  ['cities', 'is not of the form <scheme>://<path>'],
  ['weather://', 'is not of the form <scheme>://<path>'],
  ['weather://new york', 'is not of the form <scheme>://<path>'],
  ['weather://zürich', 'contains "ü"; percent-encode it as %C3%BC'],
  ['weather://100%', 'contains "%"; percent-encode it as %25'],
  ['weather://{city', 'has a "{" at position 11 that is never closed'],
  ['weather://city}', 'contains "}"'],
  ['weather://{a}{b}', 'has two expressions with nothing between them'],
  ['weather://{a}/{a}', 'has the variable "a" twice'],
  ['{scheme}://x', 'has a variable in its scheme'],
])('rejects the URI %s', (uri, sentence) => {
  const [problem] = problemsOf(withResource({ uri }))
  expect(problem).toContain(`resources[0].uri: "${uri}"`)
  expect(problem).toContain(sentence)
})

test.each([
  [{ text: '', blob: '' }, 'resources[0]: has "text" and "blob"; only one is allowed'],
  [{ file: 'a.md' }, 'resources[0].file: is a path, and only the mcp command reads files'],
  [{ blob: 'no base 64' }, 'resources[0].blob: is not Base64'],
  [{ mimeType: 'text' }, 'resources[0].mimeType: "text" is not a media type'],
  [
    { icons: [{ src: 'javascript:alert(1)' }] },
    'resources[0].icons[0].src: "javascript:alert(1)" must start with',
  ],
  [
    { uri: 'weather://{city}', text: '{{ citty }}' },
    'resources[0].text: reads "citty", which does not exist',
  ],
  [{ uri: 'weather://{city}', completions: { town: [] } }, 'completions.town: is not a variable of the URI'],
])('rejects a resource with %j', (extra, sentence) => {
  expect(problemsOf(withResource(extra)).join('\n')).toContain(sentence)
})
