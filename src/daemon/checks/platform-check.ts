import { release } from 'node:os'
import { type Finding, pass, warn } from '../../shared/check.ts'

export interface Machine {
  platform: string
  arch: string
  /** Kernel release, which contains "Microsoft" on WSL. */
  release: string
  hasGlibc: boolean
}

/** Checks whether this is a tested platform, and lists missing features (README, "Platforms"). */
export function checkPlatform(machine: Machine = thisMachine()): Finding {
  const { platform, arch } = machine
  if (platform === 'darwin')
    return warn(
      `macOS ${arch} is not tested. Missing: the sandbox for programs, memory limits by process size, images from the local Node`,
      'Run untrusted code on Linux, and export images with --base',
    )
  if (platform !== 'linux')
    return warn(`${platform} ${arch} is not supported`, 'Use Linux, or WSL 2 on Windows')
  if (/microsoft/i.test(machine.release))
    return warn(
      `Linux ${arch} under WSL is not tested. "mcp daemon install" requires systemd`,
      'Enable systemd in /etc/wsl.conf to run the daemon as a service',
    )
  if (arch === 'x64' && machine.hasGlibc) return pass('Linux x64 with glibc, the tested platform')
  return pass(
    `Linux ${arch} with ${machine.hasGlibc ? 'glibc' : 'another libc'} is not tested, only x64 with glibc`,
  )
}

function thisMachine(): Machine {
  const { platform, arch } = process
  return { platform, arch, release: release(), hasGlibc: platform === 'linux' && hasGlibc() }
}

function hasGlibc(): boolean {
  // Resolving host names of open sockets can take seconds.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
  return header.glibcVersionRuntime !== undefined
}
