import module from 'node:module'
import vm from 'node:vm'
import { denyAll, refusal, replace, SealError } from './denied.ts'
import { apply, slice } from './intrinsics.ts'

// Captured when loaded: handler modules may not have it.
export const { registerHooks } = module

/** Our files in a build: `instance/` has everything that the program imports. */
const OWN_FOLDER = new URL('./', import.meta.url).href
const OWN_PROGRAM = `${slice(OWN_FOLDER, 0, -1)}.js`

/**
 * Keeps the modules of this program from user code: Node gives every importer the same module, with the functions that were
 * captured before the seals. The program itself still loads what it needs later.
 */
export function sealLoader(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const found = next(specifier, context)
      if (isRepl(found.url) || (isOwn(found.url) && !isFromOwn(context))) throw refusal(specifier)
      return found
    },
    load: (url, context, next) => {
      // This program requires none of its files.
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

/** Code that is compiled under the name of one of our files would import as that file. */
function sealReferrers(): void {
  denyAll(module.Module.prototype, ['_compile', 'load'], 'module')
  const { constants } = vm
  if (!constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER) throw new SealError('vm.constants was not found.')
  const { USE_MAIN_CONTEXT_DEFAULT_LOADER: _, ...others } = constants
  replace(vm, 'constants', others)
  const { getBuiltinModule } = process
  replace(process, 'getBuiltinModule', (id: unknown) => {
    if (isRepl(id)) throw refusal('node:repl')
    return apply(getBuiltinModule, process, [id])
  })
}

/** It imports as a file in any folder. */
function isRepl(id: unknown): boolean {
  return id === 'repl' || id === 'node:repl'
}
