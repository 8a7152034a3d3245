import * as z from 'zod'
import { REPAIRED_CHECKS } from '../../check.ts'
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

const EXAMPLE_REPAIR = {
  name: REPAIRED_CHECKS[0],
  message: "Removed other users' access to /home/ada/.local/share/mcp/logs",
} as const

const repairSchema = named('Repair', 'A repair.', EXAMPLE_REPAIR).object({
  name: z.enum(REPAIRED_CHECKS).describe('Name of the check.'),
  message: z.string().describe('What was done, in one sentence.'),
})

const namedRepairRequest = named('RepairRequest', 'Checks whose problems to repair.', {
  checks: [EXAMPLE_REPAIR.name],
})

/** POST /api/daemon/checks/repair */
export const repairRequestSchema = namedRepairRequest.strictObject({
  checks: z
    .array(z.enum(REPAIRED_CHECKS))
    .optional()
    .describe('Names of the checks. By default, all that have a repair.'),
})
export const repairListSchema = named('RepairList', "Repairs of the daemon's home.", {
  items: [EXAMPLE_REPAIR],
}).object({
  items: z.array(repairSchema).describe('Repairs. Empty if there was nothing to repair.'),
})

/** GET /api/daemon/checks */
export const checkListSchema = named('CheckList', "Checks of the daemon's machine and home.", {
  ok: true,
  checks: [{ name: 'home', status: 'pass', message: '51200 MB free on its disk' }],
}).object({
  ok: z.boolean().describe('No check failed.'),
  checks: z.array(checkResultSchema).describe('Results in the order of the checks.'),
})

export type RepairRequest = z.infer<typeof repairRequestSchema>
export type Repair = z.infer<typeof repairSchema>
export type RepairList = z.infer<typeof repairListSchema>
export type CheckList = z.infer<typeof checkListSchema>
