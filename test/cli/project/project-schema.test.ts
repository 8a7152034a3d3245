import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import {
  createProjectFileSchema,
  createSuiteSchema,
  SCHEMA_FILE,
  SUITE_SCHEMA_FILE,
} from '../../../scripts/schema.ts'
import { compileSchema } from '../../../src/shared/json/json-schema.ts'
import { describeViolation } from '../../../src/shared/json/violations.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

it('the schema for editors is generated from the validation schema (npm run schema)', () => {
  expect(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8'))).toEqual(JSON.parse(createProjectFileSchema()))
})

it('the schema of suites is generated from the validation schema', () => {
  expect(JSON.parse(readFileSync(SUITE_SCHEMA_FILE, 'utf8'))).toEqual(JSON.parse(createSuiteSchema()))
})

it.each(projectFiles())('%s fits the schema', file => {
  const validate = compileSchema(JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')))
  const valid = validate(JSON.parse(readFileSync(join(root, file), 'utf8')))
  expect(valid ? '' : describeViolation(validate.errors, file)).toBe('')
})

function projectFiles(): string[] {
  return ['examples', 'templates'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('mcp.config.json'))
      .map(file => join(folder, file)),
  )
}
