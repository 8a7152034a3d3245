import module from 'node:module'
import vm from 'node:vm'
import { denyAll, refusal, replace, SealError } from './denied.ts'
import { apply, slice } from './intrinsics.ts'

// Captured when loaded, because handler modules must not have it.
export const { registerHooks } = module

/** Our files in a build: `instance/` contains everything that the program imports. */
const OWN_FOLDER = new URL('./', import.meta.url).href
const OWN_PROGRAM = `${slice(OWN_FOLDER, 0, -1)}.js`

/**
 * Hides this program's modules from user code, because Node would give every importer the same module, with the functions
 * captured before the seals. The program itself can still load modules later.
 */
export function sealLoader(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context)
      if (isHidden(found.url) || (isOwn(found.url) && !isFromOwn(context))) throw refusal(specifier)
      return found
    },
    load: (url, context, next) => {
      // This program does not `require` its own files.
      if (isOwn(url) && isRequire(context.conditions)) throw refusal('This module')
      return next(url, context)
    },
  })
  denyAll(module, ['register', 'registerHooks', 'runMain'], 'module')
  sealReferrers()
}

interface Import {
  parentURL: string | undefined
  conditions: readonly string[]
}

function isFromOwn({ parentURL, conditions }: Import): boolean {
  return typeof parentURL === 'string' && isOwn(parentURL) && !isRequire(conditions)
}

function isRequire(conditions: readonly string[]): boolean {
  for (let index = 0; index < conditions.length; index++) if (conditions[index] === 'require') return true
  return false
}

function isOwn(url: string): boolean {
  return slice(url, 0, OWN_FOLDER.length) === OWN_FOLDER || slice(url, 0, OWN_PROGRAM.length) === OWN_PROGRAM
}

/** Prevents code from being compiled under the name of one of our files, because that code could import whatever the file may. */
function sealReferrers(): void {
  denyAll(module.Module.prototype, ['_compile', 'load'], 'module')
  const { constants } = vm
  if (!constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER) throw new SealError('vm.constants was not found.')
  const { USE_MAIN_CONTEXT_DEFAULT_LOADER: _, ...others } = constants
  replace(vm, 'constants', others)
  const { getBuiltinModule } = process
  replace(process, 'getBuiltinModule', (id: unknown) => {
    if (isHidden(id)) throw refusal(String(id))
    return apply(getBuiltinModule, process, [id])
  })
}

/**
 * True for node:repl, which can import like a file in any folder, and for node:inspector, which can evaluate in any scope if a
 * debugger is allowed and otherwise has no effect.
 */
function isHidden(id: unknown): boolean {
  return id === 'repl' || id === 'node:repl' || (isInspected && INSPECTOR.has(id))
}

const isInspected = process.permission?.has('inspector') ?? false
const INSPECTOR = new Set<unknown>([
  'inspector',
  'node:inspector',
  'inspector/promises',
  'node:inspector/promises',
])
