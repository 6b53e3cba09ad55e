import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIST, bundle, compile, update } from './bundle.mjs';
import { script } from './steps.mjs';

// `npm run build`: src/ → build/ → dist/.
await script(async () => {
  compile();
  const fresh = mkdtempSync(join(tmpdir(), 'gateline-dist-'));
  try {
    await bundle(join(fresh, 'dist'));
    update(join(fresh, 'dist'), DIST);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
});
