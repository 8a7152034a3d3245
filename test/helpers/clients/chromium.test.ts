import { expect, test } from 'vitest'
import { findChromium } from './chromium.ts'

const MISSING = ['/nowhere/chromium']

test('a machine without Chromium skips its tests, and CI fails', () => {
  expect(findChromium({}, MISSING)).toBe(undefined)
  expect(() => findChromium({ CI: 'true' }, MISSING)).toThrow('Install chromium-headless-shell')
})

test('the path in CHROMIUM is preferred', () => {
  expect(findChromium({ CHROMIUM: process.execPath }, MISSING)).toBe(process.execPath)
})
