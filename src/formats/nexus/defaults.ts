import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.ts';
import type { SourceFile } from '../exchange.ts';
import type { FileFindings } from '../findings.ts';

/** The meaning of a key of `state_manager`: keys of `gateline.yml`, or why there is nothing to set. */
type Meaning = (value: JsonValue) => JsonObject | string;

const FIXED = 'Gateline keeps everything below `.state/`';

const MEANINGS: Readonly<Record<string, Meaning>> = {
  state_file_path: () => FIXED,
  history_file_path: () => FIXED,
  backup_dir: () => `${FIXED}; records never change, so there are no backups`,
  create_checkpoints: (value) =>
    value === false ? { snapshots: { keep: 0 } } : 'a snapshot is taken after each gate; nothing to set',
  checkpoint_interval: (value) =>
    isWhole(value, 1_000) ? { snapshots: { every: value } } : 'expected a whole number from 1 to 1000',
  max_checkpoints: () => '`snapshots.keep` limits runs, not the snapshots of one run',
  log_execution_history: (value) =>
    value === false ? 'the history cannot be turned off' : 'the history is always kept; nothing to set',
  retention_days: (value) =>
    isWhole(value, 36_500) ? { retention: { older: `${value}d` } } : 'expected a whole number of days, from 1',
  daily_summary_enabled: () => '`gateline stats --daily` makes the summary on demand',
  validate_on_load: (value) =>
    value === false ? 'records are always validated' : 'records are always validated; nothing to set',
  auto_recover_corrupt_state: () =>
    'a damaged file is moved to quarantine, and the state is derived from the other records; nothing to set',
  auto_cleanup_enabled: (value) => (value === false ? { retention: false } : 'with `retention`, runs remove old runs'),
  cleanup_interval_days: (value) =>
    isWhole(value, 36_500) ? { retention: { every: `${value}d` } } : 'expected a whole number of days, from 1',
};

/** The keys of `gateline.yml` that `defaults.yml` stands for. What has no key is named, with the reason. */
export function readDefaults(file: SourceFile, findings: FileFindings): JsonObject {
  const text = findings.text(file);
  const whole = text === undefined ? undefined : findings.yaml(file.path, text);
  if (whole === undefined) return {};
  const settings = whole['state_manager'];
  if (!isJsonObject(settings)) {
    findings.refuse(file.path, '/state_manager', 'expected a mapping');
    return {};
  }
  const keys: Record<string, JsonObject> = {};
  for (const [name, value] of Object.entries(settings)) {
    const meaning = Object.hasOwn(MEANINGS, name) ? MEANINGS[name]!(value) : 'it is not a setting of the state manager';
    if (typeof meaning === 'string') findings.leave(file.path, `/state_manager/${name}`, meaning);
    else
      for (const [key, part] of Object.entries(meaning)) if (isJsonObject(part)) keys[key] = { ...keys[key], ...part };
  }
  // Without cleaning, there is no age from which something is removed.
  if (settings['auto_cleanup_enabled'] === false && keys['retention'] !== undefined) {
    delete keys['retention'];
    findings.leave(file.path, '/state_manager/auto_cleanup_enabled', 'without `retention`, nothing is removed');
  }
  return keys;
}

function isWhole(value: JsonValue, most: number): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}
