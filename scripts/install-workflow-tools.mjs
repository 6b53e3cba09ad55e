import { say, script } from './steps.mjs';
import { TOOL_NAMES, installTool } from './workflow-tools.mjs';

// `node scripts/install-workflow-tools.mjs [name…]`: installs actionlint and zizmor outside the repository.
await script(async () => {
  const asked = process.argv.slice(2);
  for (const name of asked.length > 0 ? asked : TOOL_NAMES) say(`✓ ${name}: ${await installTool(name)}`);
});
