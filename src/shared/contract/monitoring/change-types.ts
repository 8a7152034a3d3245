import type { Scope } from '../access/scopes.ts'

/** Kinds of changes, and the scope that a key needs to receive them. */
const CHANGE_SCOPES = {
  server: 'READ',
  build: 'READ',
  deployment: 'READ',
  release: 'READ',
  instance: 'READ',
  health: 'READ',
  containerBuild: 'READ',
  project: 'READ',
  mapping: 'READ',
  variable: 'READ',
  chat: 'CHAT',
  suiteRun: 'CHAT',
  modelKey: 'CHAT',
  key: 'ADMIN',
} as const satisfies Record<string, Scope>

export type ChangeType = keyof typeof CHANGE_SCOPES

export const CHANGE_TYPES = Object.keys(CHANGE_SCOPES) as ChangeType[]

export const CHANGE_ACTIONS = ['created', 'updated', 'removed'] as const

export type ChangeAction = (typeof CHANGE_ACTIONS)[number]

export function scopeOf(type: ChangeType): Scope {
  return CHANGE_SCOPES[type]
}
