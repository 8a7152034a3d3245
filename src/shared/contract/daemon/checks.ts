import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'

const checkResultSchema = named('CheckResult', 'A result of a check.').object({
  name: z.string().meta(described('Name of the check. It may have several results.', 'database')),
  status: z.enum(['pass', 'warn', 'fail']).describe('`warn`: the daemon works, but with a restriction.'),
  message: z.string().describe('Result in one sentence.'),
  fix: z
    .object({
      description: z.string().describe('What to do.'),
      command: z.string().optional().describe("Command to run on the daemon's machine."),
    })
    .optional()
    .describe('Absent if the check passed.'),
})

/** GET /api/daemon/checks */
export const checkListSchema = named('CheckList', "Checks of the daemon's machine and home.", {
  ok: true,
  checks: [{ name: 'home', status: 'pass', message: '51200 MB free on its disk' }],
}).object({
  ok: z.boolean().describe('No check failed.'),
  checks: z.array(checkResultSchema).describe('Results in the order of the checks.'),
})

export type CheckList = z.infer<typeof checkListSchema>
