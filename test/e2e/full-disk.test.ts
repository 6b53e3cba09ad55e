import { describe, expect, it } from 'vitest';
import { gatelineYml, writes } from '../cli/in-process.ts';
import { canHaveSmallDisk, onSmallDisk } from '../support/small-disk.ts';
import { IS_FULL } from '../support/test-size.ts';

/** Fills what is left of the disk, on which only `.state` lies of what an agent sees; that this fails is no failure of the agent. */
const FILL = 'head -c 10000000 /dev/zero > "$GATELINE_OUTPUT.fill" 2>/dev/null || true';
const EMPTY = 'rm -f .state/attempts/*/*/*/*.fill';
/** Writes an output of 700 kB. */
const LARGE = `(printf '"'; head -c 700000 /dev/zero | tr '\\0' x; printf '"') > "$GATELINE_OUTPUT"`;
/** Leaves that many KiB of the disk. */
const LEAVE =
  "leave() { rm -f fill; head -c $(($(df -Pk . | awk 'NR==2{print $4}') * 1024 - $1 * 1024)) /dev/zero > fill; }";
const AFTER = { needs: 'a', inputs: [], run: writes(1) };

describe.runIf(canHaveSmallDisk)('a disk that an agent fills', () => {
  it('leaves room for the record of that agent; the next gate does not start, and the call ends with 74', async () => {
    const a = { inputs: [], run: `${writes({ x: 1 })}; ${FILL}` };
    const said = await onSmallDisk(
      gatelineYml({ a, b: AFTER }),
      `gateline run -q; echo "exit $?"; (cd .state/runs/*/1 && echo *.json); ${EMPTY}
       gateline run -q; echo "exit $?"`,
    );
    expect(said).toMatch(/a: passed[^]*STORE_WRITE_FAILED: Cannot write .*ENOSPC[^]*The disk is full[^]*exit 74\n/);
    expect(said).not.toContain('bug in Gateline');
    expect(said).toContain('\np.a._.1.1.1.ended.json p.a._.1.1.1.started.json\n');
    expect(said).toMatch(/a: keep[^]*b: passed[^]*exit 0\n$/);
  });

  it('ends an attempt whose output has no room with a record that says so, and the call with 74', async () => {
    // Somebody else takes the space that the removed output gives back.
    const a = { inputs: [], run: `${LARGE}; ln "$GATELINE_OUTPUT" "$GATELINE_OUTPUT.kept"; ${FILL}` };
    const said = await onSmallDisk(
      gatelineYml({ a, b: AFTER }),
      `gateline run -q; echo "exit $?"; ${EMPTY}
       gateline show a; echo "exit $?"`,
    );
    expect(said).toMatch(/STORE_WRITE_FAILED[^]*The disk is full[^]*exit 74\n/);
    expect(said).not.toContain('bug in Gateline');
    expect(said).toMatch(/a, attempt 1 \(run 1\): failed \(lost\)[^]*STORE_WRITE_FAILED/);
  });

  it('does not cost an agent that runs by itself its output: complete works when there is room again', async () => {
    const said = await onSmallDisk(
      gatelineYml({ own: { inputs: [] } }),
      `eval "$(gateline begin own)"; ${LARGE}; echo '{"model": "m"}' > "$GATELINE_METRICS"; ${FILL}
       gateline complete; echo "exit $?"; ${EMPTY}
       gateline complete; echo "exit $?"; ls "$GATELINE_OUTPUT" .state/runs/*/1/*.ended.json; grep -c '"model"' .state/runs/*/1/*.ended.json`,
    );
    expect(said).toMatch(
      /STORE_WRITE_FAILED[^]*The disk is full[^]*exit 74\n[^]*own, attempt 1 [^]*: passed[^]*exit 0\n/,
    );
    expect(said).toMatch(/cannot access .*output.json[^]*p\.own\._\.1\.1\.1\.ended\.json\n1\n$/);
  });

  it('keeps the record of an attempt whose logs have no room', async () => {
    const a = { inputs: [], run: `${writes({ x: 1 })}; head -c 600000 /dev/zero | tr '\\0' y; ${FILL}` };
    const said = await onSmallDisk(gatelineYml({ a }), 'gateline run -q >out; echo "exit $?"; gateline status');
    expect(said).toMatch(/exit 0\n[^]*a +passed/);
  });

  it('ends an attempt whose files have no room with 74, too', async () => {
    const random = 'head -c 700000 /dev/urandom > made.bin';
    const a = { inputs: [], files: ['made.bin'], run: `${writes({ x: 1 })}; ${random}; ${FILL}` };
    const said = await onSmallDisk(gatelineYml({ a }), 'gateline run -q; echo "exit $?"; gateline show a');
    expect(said).toMatch(/GIT_FAILED: .*No space left on device\n {2}The disk is full[^]*exit 74\n/);
    expect(said).toMatch(/a, attempt 1 \(run 1\): failed \(lost\)/);
  });

  it('has no agent started where the record of its end would have no room', async () => {
    const said = await onSmallDisk(
      gatelineYml({ a: { inputs: [], run: 'exit 1' } }),
      `gateline run -q >/dev/null; rm .state/reserve; head -c 10000000 /dev/zero > .state/fill; truncate -s -150000 .state/fill
       gateline run -q; echo "exit $?"; (cd .state/runs/*/1 && echo *.json)`,
    );
    expect(said).toMatch(/STORE_WRITE_FAILED[^]*The disk is full[^]*exit 74\n/);
    expect(said).toContain('\np.a._.1.1.1.ended.json p.a._.1.1.1.started.json\n');
  });

  it.runIf(IS_FULL)('is named as the reason, whatever could not be written first', async () => {
    const said = await onSmallDisk(
      gatelineYml({ a: { run: writes(1), inputs: ['untracked'], files: 'changed' } }),
      `${LEAVE}; echo fill > .gitignore; echo 1 > untracked
       for free in 8 16 20 24 28; do
         rm -rf .state; leave $free; gateline run -q; echo "exit $?"
         rm -rf .state fill; gateline run -q > /dev/null; echo $free > untracked; leave $free; gateline begin a; echo "exit $?"
       done`,
    );
    expect(said).not.toContain('bug in Gateline');
    expect(said.match(/^exit \d+/gm)).toEqual(Array.from({ length: 10 }, () => 'exit 74'));
    for (const call of said.split(/^exit 74\n/m).slice(0, -1)) expect(call).toMatch(/The disk is full|ENOSPC/);
  });

  it.runIf(IS_FULL)('is named as the reason where only the disk of the work trees is full', async () => {
    const said = await onSmallDisk(
      gatelineYml({ a: { run: writes(1) } }),
      `head -c 20000 /dev/urandom > large; mkdir ../trees; for size in 4 8 16 24 40; do
         mount -t tmpfs -o size="$size"k none ../trees; GATELINE_TREES="$PWD/../trees" gateline run -q; echo "exit $?"; umount ../trees
       done`,
    );
    expect(said).not.toContain('bug in Gateline');
    expect(said.match(/^exit \d+/gm)).toEqual(Array.from({ length: 5 }, () => 'exit 74'));
    for (const call of said.split(/^exit 74\n/m).slice(0, -1)) expect(call).toMatch(/The disk is full|ENOSPC/);
  });

  it('is named as the reason when a rollback has no room, which has then changed nothing or can be repeated', async () => {
    const run = `head -c 300000 /dev/urandom > made.bin; ${writes(1)}`;
    const said = await onSmallDisk(
      gatelineYml({ a: { inputs: [], files: ['made.bin'], run } }),
      `${LEAVE}; echo fill > .gitignore; echo old > made.bin; gateline run -q --apply >/dev/null
       for free in 4 12 20; do leave $free; gateline rollback --all >/dev/null; echo "exit $?"; done
       rm fill; gateline rollback --all >/dev/null; echo "exit $?"; cat made.bin`,
    );
    expect(said).not.toContain('SNAPSHOT_GONE');
    expect(said.match(/^exit \d+/gm)).toEqual(['exit 74', 'exit 74', 'exit 74', 'exit 0']);
    for (const call of said.split(/^exit 74\n/m).slice(0, -1)) expect(call).toMatch(/The disk is full|ENOSPC/);
    expect(said).toMatch(/old\n$/);
  });

  it('is named as the reason when the files of a run have no room in the folder', async () => {
    const run = `head -c 300000 /dev/urandom > made.bin; ${writes(1)}`;
    const said = await onSmallDisk(
      gatelineYml({ a: { inputs: [], files: ['made.bin'], run } }),
      `${LEAVE}; echo fill > .gitignore; gateline run -q >/dev/null; leave 200; gateline apply; echo "exit $?"; rm fill; gateline apply; echo "exit $?"`,
    );
    expect(said).toMatch(
      /GIT_FAILED: .*unable to write[^]*The disk is full[^]*exit 74\n[^]*wrote made\.bin\nexit 0\n$/,
    );
  });
});
