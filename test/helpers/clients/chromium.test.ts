import { expect, test } from 'vitest'
import { findChromium } from './chromium.ts'

const MISSING = ['/nowhere/chromium']

test('without Chromium, findChromium returns undefined, but throws in CI', () => {
  expect(findChromium({}, MISSING)).toBe(undefined)
  expect(() => findChromium({ CI: 'true' }, MISSING)).toThrow('Install chromium-headless-shell')
})

test('findChromium returns the path in CHROMIUM', () => {
  expect(findChromium({ CHROMIUM: process.execPath }, MISSING)).toBe(process.execPath)
})
