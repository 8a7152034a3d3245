import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { STATUS_OF } from '../../src/daemon/http/status.ts'
import { createdKeySchema, createKeyRequestSchema } from '../../src/shared/contract/access/api-keys.ts'
import { modelKeySchema } from '../../src/shared/contract/access/model-keys.ts'
import { PLAN_LIMITS, SCOPES } from '../../src/shared/contract/access/scopes.ts'
import { buildRecordSchema, surfaceReportSchema } from '../../src/shared/contract/builds/builds.ts'
import { deployConfigSchema } from '../../src/shared/contract/deployments/deploy-config.ts'
import { deploymentStatusSchema } from '../../src/shared/contract/deployments/deployments.ts'
import { healthReportSchema } from '../../src/shared/contract/monitoring/health-reports.ts'
import { logPageSchema } from '../../src/shared/contract/monitoring/log-pages.ts'
import { createProjectSchema, projectSchema } from '../../src/shared/contract/projects/projects.ts'
import { chatMessageSchema, chatSchema } from '../../src/shared/contract/testing/chats.ts'
import { testResultSchema } from '../../src/shared/contract/testing/test-results.ts'
import { testRequestSchema } from '../../src/shared/contract/testing/test-runs.ts'

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

test('docs/decisions/api.md lists every error code under its HTTP status', () => {
  const listed = [...decisions.matchAll(/^\| (\d{3}) \| (.*) \|$/gm)].flatMap(([, status, codes]) =>
    [...codes!.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => [code, Number(status)]),
  )
  expect(Object.fromEntries(listed)).toEqual(STATUS_OF)
})

test('docs/decisions/api.md lists every scope and the limit of every plan', () => {
  for (const scope of SCOPES) expect(decisions).toContain(`| \`${scope}\` |`)
  for (const [plan, limit] of Object.entries(PLAN_LIMITS))
    expect(decisions).toContain(`| ${plan} | ${limit.toLocaleString('en')}`)
})
