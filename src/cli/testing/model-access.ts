import type { ModelAccess } from '../../shared/contract/testing/test-runs.ts'
import type { CommandContext } from '../command-line/command-context.ts'

/**
 * Vendor keys from this command's environment, for the local daemon only, which may have been started from another shell. A
 * hosted API must not receive keys implicitly.
 */
export function modelAccess({
  env,
  settings,
}: Pick<CommandContext, 'env' | 'settings'>): ModelAccess | undefined {
  if (settings().apiUrl) return undefined
  const access: ModelAccess = {
    ...vendorAccess('anthropic', env.ANTHROPIC_API_KEY, env.ANTHROPIC_BASE_URL),
    ...vendorAccess('openai', env.OPENAI_API_KEY, env.OPENAI_BASE_URL),
  }
  return Object.keys(access).length > 0 ? access : undefined
}

function vendorAccess(
  vendor: keyof ModelAccess,
  key: string | undefined,
  url: string | undefined,
): ModelAccess {
  if (!key) return {}
  return { [vendor]: { api_key: key, ...(url ? { base_url: url } : {}) } }
}
