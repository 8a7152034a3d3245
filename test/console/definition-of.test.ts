import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { definitionOf } from '../../src/console/views/deploy/definition-of.ts'
import { EXAMPLES } from '../../src/console/views/deploy/examples.ts'
import { parseDefinition } from '../../src/console/views/deploy/parse-definition.ts'
import { buildArtifact } from '../../src/daemon/builder/build-artifact.ts'
import type { Artifact } from '../../src/shared/definitions/artifact.ts'
import { parseBuildRequest } from '../../src/shared/validation/validate-definitions.ts'

const build = (definition: unknown) => buildArtifact(parseBuildRequest(definition))

const templates = ['basic', 'advanced'].map(name =>
  readFileSync(new URL(`../../templates/${name}/mcp.config.json`, import.meta.url), 'utf8'),
)
const examples = EXAMPLES.map(({ definition }) => JSON.stringify(definition))
const texts = [...templates, ...examples]

test.each(texts)('the definition of an artifact builds the same artifact: %.60s', text => {
  const { artifact, digest } = build(parseDefinition(text).definition)
  const sent = JSON.parse(JSON.stringify(artifact)) as Artifact
  expect(build(definitionOf(sent)).digest).toBe(digest)
})

test('refuses the definition of a server with code', () => {
  const { artifact } = build(parseDefinition(texts[0]!).definition)
  const custom = { ...artifact, program: { type: 'module', bundle: '0' } } as Artifact
  expect(() => definitionOf(custom)).toThrow(/has code/)
})
