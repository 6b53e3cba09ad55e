import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from './repository-files.ts';

/** Does what Go does: says its version, and puts a program into `$GOBIN`, after a while. */
const GO = `#!/bin/sh
if [ "$1" = env ]; then echo go1.99.0; exit; fi
echo "go $*" >> "$CALLS"
sleep 0.3
printf '#!/bin/sh\\n' > "$GOBIN/actionlint"
chmod +x "$GOBIN/actionlint"
`;

/** Makes an environment whose pip puts a program into it, after a while. */
const PYTHON = `#!/bin/sh
echo "python3 $*" >> "$CALLS"
mkdir -p "$3/bin"
cat > "$3/bin/pip" <<'PIP'
#!/bin/sh
sleep 0.3
bin=$(dirname "$0")
printf '#!/bin/sh\\n' > "$bin/zizmor"
chmod +x "$bin/zizmor"
PIP
chmod +x "$3/bin/pip"
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateline-tools-'));
  mkdirSync(join(folder, 'bin'));
  for (const [name, text] of Object.entries({ go: GO, python3: PYTHON })) {
    writeFileSync(join(folder, 'bin', name), text);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Installs a tool into a cache of this test, with installers that are only shell scripts. */
async function install(tool: string): Promise<string> {
  const env = {
    ...process.env,
    PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
    XDG_CACHE_HOME: join(folder, 'cache'),
    CALLS: join(folder, 'calls'),
  };
  const script = join(ROOT, 'scripts/install-workflow-tools.mjs');
  return (await promisify(execFile)(process.execPath, [script, tool], { env })).stderr;
}

describe.runIf(process.platform !== 'win32')('the installer of the tools for workflows', () => {
  it.each([
    ['actionlint', 'go install'],
    ['zizmor', 'python3 -m venv'],
  ])('installs %s once where two checkouts ask for it at the same time', async (tool, command) => {
    const texts = await Promise.all([install(tool), install(tool)]);
    const cache = join(folder, 'cache/gateline-tools');
    for (const text of texts) expect(text).toMatch(new RegExp(`✓ ${tool}: ${cache}/${tool}-`));
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n');
    expect(calls).toEqual([expect.stringContaining(command)]);
    expect(readdirSync(cache)).toEqual([expect.stringMatching(new RegExp(`^${tool}-[\\d.]+$`))]);
  });
});
