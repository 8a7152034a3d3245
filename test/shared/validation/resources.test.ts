import { expect, test } from 'vitest'
import { problemsOf, withResource } from '../../fixtures/definitions.ts'

test.each([
  ['cities', 'is not of the form <scheme>://<path>'],
  ['weather://', 'is not of the form <scheme>://<path>'],
  ['weather://new york', 'is not of the form <scheme>://<path>'],
  ['weather://zürich', 'holds "ü", which a URI writes as %C3%BC'],
  ['weather://100%', 'holds "%", which a URI writes as %25'],
  ['weather://{city', 'has a "{" at position 11 that is never closed'],
  ['weather://city}', 'holds "}"'],
  ['weather://{a}{b}', 'has two expressions with nothing between them'],
  ['weather://{a}/{a}', 'names the variable "a" twice'],
  ['{scheme}://x', 'has a variable in its scheme'],
])('the URI %s is refused', (uri, sentence) => {
  const [problem] = problemsOf(withResource({ uri }))
  expect(problem).toContain(`resources[0].uri: "${uri}"`)
  expect(problem).toContain(sentence)
})

test.each([
  [{ text: '', blob: '' }, 'resources[0]: has "text" and "blob"; it may have one of them'],
  [{ file: 'a.md' }, 'resources[0].file: names a file, which only the mcp command can read'],
  [{ blob: 'no base 64' }, 'resources[0].blob: is not base 64'],
  [{ mimeType: 'text' }, 'resources[0].mimeType: "text" is not a media type'],
  [
    { icons: [{ src: 'javascript:alert(1)' }] },
    'resources[0].icons[0].src: "javascript:alert(1)" must start with',
  ],
  [{ uri: 'weather://{city}', text: '{{ citty }}' }, 'resources[0].text: reads "citty", which there is not'],
  [{ uri: 'weather://{city}', completions: { town: [] } }, 'completions.town: is not a variable of the URI'],
])('a resource with %j is refused', (extra, sentence) => {
  expect(problemsOf(withResource(extra)).join('\n')).toContain(sentence)
})
