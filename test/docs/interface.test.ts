import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { STATUS_OF } from '../../src/daemon/http/status.ts'
import { createdKeySchema, createKeyRequestSchema } from '../../src/shared/contract/api-keys.ts'
import { buildRecordSchema, surfaceReportSchema } from '../../src/shared/contract/builds.ts'
import { chatMessageSchema, chatSchema } from '../../src/shared/contract/chats.ts'
import { deployConfigSchema } from '../../src/shared/contract/deploy-config.ts'
import { deploymentStatusSchema } from '../../src/shared/contract/deployments.ts'
import { healthReportSchema } from '../../src/shared/contract/health-reports.ts'
import { logPageSchema } from '../../src/shared/contract/log-pages.ts'
import { modelKeySchema } from '../../src/shared/contract/model-keys.ts'
import { createProjectSchema, projectSchema } from '../../src/shared/contract/projects.ts'
import { PLAN_LIMITS, SCOPES } from '../../src/shared/contract/scopes.ts'
import { testResultSchema } from '../../src/shared/contract/test-results.ts'
import { testRequestSchema } from '../../src/shared/contract/test-runs.ts'

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')
const api = read('api.md')
const decisions = read('decisions/api.md')

test.each(
  Object.entries({
    buildRecordSchema,
    deploymentStatusSchema,
    instance: deploymentStatusSchema.shape.instances.element,
    healthReportSchema,
    requests: healthReportSchema.shape.requests,
    logPageSchema,
    line: logPageSchema.shape.lines.element,
    createdKeySchema,
    createKeyRequestSchema,
    deployConfigSchema,
    projectSchema,
    createProjectSchema,
    testRequestSchema,
    testResultSchema,
    chatSchema,
    chatMessageSchema,
    modelKeySchema,
    surfaceReportSchema,
    surface: surfaceReportSchema.shape.items.element,
  }),
)('the API reference names every field of %s', (_, schema) => {
  const missing = Object.keys(schema.shape).filter(
    field => !new RegExp(`\`(\\w+\\.)?${field}[\`.]`).test(api),
  )
  expect(missing).toEqual([])
})

test('the decisions list every error code under its HTTP status', () => {
  const listed = [...decisions.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)].flatMap(([, status, codes]) =>
    [...codes!.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => [code, Number(status)]),
  )
  expect(Object.fromEntries(listed)).toEqual(STATUS_OF)
})

test('the decisions list every scope and the limit of every plan', () => {
  for (const scope of SCOPES) expect(decisions).toContain(`| \`${scope}\` |`)
  for (const [plan, limit] of Object.entries(PLAN_LIMITS))
    expect(decisions).toContain(`| ${plan} | ${limit.toLocaleString('en')}`)
})
