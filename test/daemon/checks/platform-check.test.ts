import { describe, expect, it } from 'vitest'
import { checkPlatform, type Machine } from '../../../src/daemon/checks/platform-check.ts'

const LINUX: Machine = { platform: 'linux', arch: 'x64', release: '6.18.0', hasGlibc: true }

describe('the platform check of mcp doctor', () => {
  it('the platform check passes on the tested platform', () => {
    expect(checkPlatform(LINUX)).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('the tested platform'),
    })
  })

  it('the platform check passes on other Linux machines and names the tested platform', () => {
    const finding = checkPlatform({ ...LINUX, arch: 'arm64', hasGlibc: false })
    expect(finding).toMatchObject({
      status: 'pass',
      message: expect.stringContaining('Linux arm64 with another libc'),
    })
  })

  it.each([
    ['darwin', { ...LINUX, platform: 'darwin' }, /macOS x64 is not tested\. Missing: /],
    [
      'WSL',
      { ...LINUX, release: '6.6.87.2-microsoft-standard-WSL2' },
      /under WSL is not tested\. "mcp daemon install" requires systemd/,
    ],
    ['native Windows', { ...LINUX, platform: 'win32' }, /win32 x64 is not supported/],
  ])('warns on %s and suggests a fix', (_, machine, message) => {
    const finding = checkPlatform(machine)
    expect(finding.status).toBe('warn')
    expect(finding.message).toMatch(message)
    expect(finding.fix?.description).toBeTruthy()
  })
})
