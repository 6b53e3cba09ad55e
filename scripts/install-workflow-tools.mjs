import { say, script } from './steps.mjs';
import { TOOL_NAMES, installTool } from './workflow-tools.mjs';

// `node scripts/install-workflow-tools.mjs [name…]`: installs act, actionlint and zizmor outside the repository.
await script(() => {
  const asked = process.argv.slice(2);
  for (const name of asked.length > 0 ? asked : TOOL_NAMES) {
    const started = performance.now();
    const path = installTool(name);
    say(`✓ ${name} (${((performance.now() - started) / 1000).toFixed(1)} s): ${path}`);
  }
});
