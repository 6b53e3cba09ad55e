import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentsOf, setUpLines, setUpOrder, type Command } from '../../src/pipeline/entities/entities.ts';
import { wordsOf } from '../../src/pipeline/entities/command-syntax.ts';
import { drawn } from '../support/samples.ts';
import { codes, pipelineOf, said } from './reading.ts';

const GATE = 'gates: {a: {run: x}}';

function command(id: string, use: Partial<Command>): Command {
  const none = { requires: [], creates: [], invalidates: [], onInvalid: 'fail' as const };
  return {
    id,
    words: [{ text: id }],
    returns: undefined,
    setup: true,
    leaves: false,
    timeoutMinutes: 60,
    ...none,
    ...use,
  };
}

describe('syntax', () => {
  it.each([
    ['db begin', ['db', 'begin']],
    [`say "two words" 'and "more"' ""`, ['say', 'two words', 'and "more"', '']],
    ['a  \t b', ['a', 'b']],
    ['x "<ref>"', ['x', '<ref>']],
    ['x a"b c"d', ['x', 'ab cd']],
  ])('splits %s into words', (syntax, words) => {
    expect(wordsOf(syntax)).toEqual({ words: words.map((text) => ({ text })) });
  });

  it('has arguments, each a word of its own', () => {
    expect(wordsOf('pool use <resource_id> --on <host>')).toEqual({
      words: [{ text: 'pool' }, { text: 'use' }, { argument: 'resource_id' }, { text: '--on' }, { argument: 'host' }],
    });
  });

  it.each([
    ['', 'there is no program'],
    ['""', 'there is no program'],
    [`'  ' x`, 'there is no program'],
    ['<x> y', 'the program cannot be an argument'],
    ['say "x', 'a quote is not closed'],
    ["say it's", 'a quote is not closed'],
    ['a | b', 'there is no shell that understands `|`'],
    ['a && b', 'there is no shell that understands `&&`'],
    ['a > b', 'there is no shell that understands `>`'],
    ['a 2>/dev/null', 'there is no shell that understands `2>/dev/null`'],
    ['x --on=<host>', '`--on=<host>`: an argument such as `<name>` is a word of its own'],
    ['x <a><b>', '`<a><b>`: an argument such as `<name>` is a word of its own'],
  ])('refuses %j', (syntax, problem) => {
    expect(wordsOf(syntax)).toEqual({ problem });
  });
});

describe('entities and commands of a definition', () => {
  it('are read, with defaults', () => {
    const text = `entities: {e: , f: {lifetime: 30m, margin: 1m, depends-on: e}, g: {lifetime: /until, format: 'g_{id}'}}
commands: {c: {syntax: do it <x>, requires: [e, e], creates: [f, g]}}
gates: {a: {run: x, invalidates: e, on-invalid: recover}}`;
    const { resources, gates } = pipelineOf(text);
    const none = { format: undefined, properties: [], dependsOn: [], lifetime: undefined, margin: 0 };
    expect(resources!.entities).toEqual([
      { ...none, name: 'e' },
      { ...none, name: 'f', lifetime: 1_800_000, margin: 60_000, dependsOn: ['e'] },
      { ...none, name: 'g', lifetime: '/until', format: 'g_{id}' },
    ]);
    const [only] = resources!.commands;
    expect(only).toMatchObject({ id: 'c', requires: ['e'], creates: ['f', 'g'], setup: true, onInvalid: 'fail' });
    expect(argumentsOf(only!)).toEqual(['x']);
    expect(gates[0]!.entities).toEqual({
      requires: [],
      creates: [],
      invalidates: ['e'],
      onInvalid: 'recover',
      leaves: false,
    });
  });

  it('need no gates', () => {
    const text = 'entities: {a: }\ncommands: {x: {syntax: x, creates: a}}';
    for (const gates of ['', '\ngates: {}']) expect(pipelineOf(text + gates).gates).toEqual([]);
    expect(said('commands: {}')).toEqual([
      '1:1 KEY_MISSING gates: this key is missing: expected a map of 1 to 1000 gates, keyed by gate id',
    ]);
    expect(codes('commands: {x: {syntax: x}}\ngates: 3')).toEqual(['2:8 VALUE_INVALID']);
  });

  it('leave no trace where there are none', () => {
    const pipeline = pipelineOf(GATE);
    expect(pipeline).not.toHaveProperty('resources');
    expect(pipeline.gates[0]).not.toHaveProperty('entities');
  });

  it('have names that are known', () => {
    expect(said('entities: {refs: , b: {depends-on: ref}}\ngates: {a: {creates: [refs, b], requires: reffs}}')).toEqual(
      [
        '1:36 ENTITY_UNKNOWN depends-on: `ref`: no such entity; did you mean `refs`?',
        '2:43 ENTITY_UNKNOWN requires: `reffs`: no such entity; did you mean `refs`?',
      ],
    );
  });

  it('do not depend on each other in a circle', () => {
    const text = `entities: {a: {depends-on: b}, b: {depends-on: a}, c: {depends-on: c}}
commands: {x: {syntax: x, creates: [a, b, c]}}\n${GATE}`;
    expect(said(text)).toEqual([
      '1:28 ENTITY_CYCLE depends-on: these entities depend on each other: a → b → a',
      '1:68 ENTITY_CYCLE depends-on: `c` cannot depend on itself',
    ]);
  });

  it('are used, or a warning says so', () => {
    expect(said(`entities: {a: }\n${GATE}`)).toEqual([
      '1:12 warning ENTITY_UNUSED entities: `a`: nothing creates, requires or invalidates it',
    ]);
  });

  it('are created, or a warning says who makes them valid', () => {
    const text = `entities: {a: , b: }\ncommands: {x: {syntax: x, requires: [a, b]}, y: {syntax: y, creates: b, requires: a}}`;
    expect(said(`${text}\n${GATE}`)).toEqual([
      '2:38 warning ENTITY_NEVER_CREATED requires: `a`: no gate and no command creates it; add `creates: a` where it is made; otherwise only `gateline entities create a` makes it valid',
    ]);
  });

  it.each([
    ['{format: "r_{id"}', 'expected a format such as `resource_{id}`: each `{` has its `}`'],
    ['{format: "r_{}"}', 'expected a format such as `resource_{id}`: each `{` has its `}`'],
    ['{format: "r_{{id}}"}', 'expected a format such as `resource_{id}`: each `{` has its `}`'],
    ['{margin: 5m}', 'expected none without a `lifetime` that is a time or a JSON pointer'],
    ['{lifetime: machine, margin: 5m}', 'expected none without a `lifetime` that is a time or a JSON pointer'],
    ['{lifetime: 5m, margin: 5m}', 'expected less than its `lifetime`: otherwise it is never valid'],
    ['{lifetime: 0s}', 'expected a time such as `30m` or `90s`, a JSON pointer such as `/expires_at`, or `machine`'],
    ['{lifetime: expires_at}', 'a JSON pointer such as `/expires_at`, or `machine`, found the text "expires_at"'],
    ['{lifetime: forever, margin: 1m}', 'a JSON pointer such as `/expires_at`, or `machine`, found the text "forever"'],
  ])('are refused with a life that makes no sense: %s', (entity, why) => {
    const text = `entities: {a: ${entity}}\ncommands: {x: {syntax: x, invalidates: a}}\n${GATE}`;
    expect(said(text)).toEqual([expect.stringContaining(why)]);
  });

  it('may live for seconds', () => {
    const text = `entities: {a: {lifetime: 90s, margin: 30s}}\ncommands: {x: {syntax: x, creates: a}}\n${GATE}`;
    expect(pipelineOf(text).resources!.entities).toMatchObject([{ lifetime: 90_000, margin: 30_000 }]);
  });

  it('have ids that no gate has', () => {
    expect(codes(`commands: {a: {syntax: x}}\n${GATE}`)).toEqual(['1:12 COMMAND_ID_TAKEN']);
  });

  it.each([
    ['x: {creates: e}, y: {requires: e}', ['2:47 ENTITY_UNORDERED']],
    ['x: {invalidates: e}, y: {creates: e}', ['2:50 ENTITY_UNORDERED']],
    ['x: {requires: e}, y: {invalidates: e}', ['2:51 ENTITY_UNORDERED']],
    ['x: {requires: e}, y: {requires: e}', []],
    ['x: {creates: e}, y: {requires: e, needs: x}', []],
    ['x: {creates: e, needs: z}, z: {needs: y}, y: {requires: e}', []],
  ])('are used by gates in an order: %s', (gates, expected) => {
    expect(codes(`entities: {e: }\ngates: {w: {}, ${gates}}\ncommands: {c: {syntax: c, creates: e}}`)).toEqual(
      expected,
    );
  });

  it.each([
    [
      'x: {invalidates: a}, y: {requires: b}',
      ['`x` invalidates `a`, and `b` with it, and neither gate needs the other'],
    ],
    ['x: {requires: b}, y: {invalidates: a}', ['`x` uses `b`, which becomes invalid with it, and neither gate']],
    ['x: {invalidates: a}, y: {requires: c}', ['`x` invalidates `a`, and `c` with it']],
    ['x: {invalidates: a}, y: {requires: d}', ['`x` invalidates `a`, and `d` with it']],
    ['x: {invalidates: a}, y: {creates: b}', ['`x` invalidates `a`, and `b` with it']],
    ['x: {invalidates: a}, y: {requires: b, needs: x}', []],
    ['x: {invalidates: b}, y: {requires: a}', []],
    ['x: {creates: a}, y: {requires: b}', []],
    ['x: {invalidates: a}, y: {requires: e}', []],
  ])('also have an order where one entity ends with another: %s', (gates, expected) => {
    const text = `entities: {a: , b: {depends-on: a}, c: {depends-on: b}, d: , e: }
commands: {v: {syntax: v, requires: c, creates: d}, w: {syntax: w, requires: a, invalidates: a, creates: e}, z: {syntax: z, creates: [a, b, c]}}
gates: {${gates}}`;
    expect(said(text)).toEqual(
      expected.map((why) => expect.stringMatching(new RegExp(`^3:\\d+ ENTITY_UNORDERED .*: ${why}`))),
    );
  });

  it.each([
    ['c: {syntax: c, creates: e}', []],
    ['c: {syntax: c <x>, creates: e}', ['needs an argument, or has `setup: false`']],
    ['c: {syntax: c, creates: e, setup: false}', ['needs an argument, or has `setup: false`']],
    ['c: {syntax: c}', ['no command creates it']],
    ['c: {syntax: c, creates: e, requires: e}', ['requires what cannot be recovered, or waits for itself']],
    ['c: {syntax: c, creates: e, requires: f}, d: {syntax: d, creates: f, requires: e}', ['or waits for itself']],
    [
      'c: {syntax: c, creates: e, requires: e}, d: {syntax: d <x>, creates: e}',
      [': `c` requires what cannot be recovered, or waits for itself; `d` needs an argument, or has `setup: false`'],
    ],
    ['c: {syntax: c, creates: e, requires: e}, d: {syntax: d, creates: e}', []],
  ])('can be recovered where recovery is asked for: %s', (commands, expected) => {
    const text = `entities: {e: , f: }\ncommands: {${commands}, z: {syntax: z, invalidates: [e, f]}}\ngates: {a: {requires: e, on-invalid: recover}}`;
    expect(said(text)).toEqual(
      expected.map((why) => expect.stringMatching(new RegExp(`^3:23 ENTITY_UNRECOVERABLE .*${why}$`))),
    );
  });

  it.each([
    ['a: {run: x, creates: m, leaves: processes}', []],
    ['a: {uses: {action: o/r@v1}, local: x, creates: m, leaves: processes}', []],
    ['a: {run: x, creates: m}', ['LEAVES_MISMATCH creates: `m` lives in processes, and only `leaves: processes`']],
    ['a: {run: x, leaves: processes}', ['LEAVES_MISMATCH leaves: it creates no entity with `lifetime: machine`']],
    ['a: {creates: m, leaves: processes}', ['LEAVES_MISMATCH leaves: its agent runs by itself']],
    ['a: {requires: n, on-invalid: recover, needs: b}, b: {run: x, creates: n, leaves: processes}', ['ENTITY_UNREACH']],
  ])('live in processes of gates that leave some: %s', (gates, expected) => {
    const text = `entities: {m: {lifetime: machine}, n: {lifetime: machine}}
commands: {z: {syntax: z, invalidates: [m, n]}}\ngates: {${gates}}`;
    expect(said(text)).toEqual(expected.map((one) => expect.stringContaining(one)));
  });

  it('say what is wrong with a syntax', () => {
    expect(said(`commands: {c: {syntax: a | b, setup: 1, sytnax: x}}\n${GATE}`)).toEqual([
      '1:24 VALUE_INVALID commands.c.syntax: expected a command line such as `agent-browser click <ref>`: there is no shell that understands `|`, found the text "a | b"',
      '1:38 VALUE_INVALID commands.c.setup: expected `true` or `false`, found the number 1',
      '1:41 KEY_UNKNOWN commands.c.sytnax: there is no such key under `commands.c`; did you mean `syntax`?',
    ]);
  });
});

describe('what lives in processes', () => {
  const text = (command: string, gate = ''): string =>
    `entities: {e: {lifetime: machine}, f: }\ncommands: {c: {syntax: c, ${command}}}\ngates: {a: {invalidates: f, ${gate}}}`;

  it.each([
    ['creates: e, leaves: processes', '', []],
    ['creates: e', '', ['LEAVES_MISMATCH creates: `e` lives in processes']],
    ['creates: f, leaves: processes', '', ['LEAVES_MISMATCH leaves: it creates no entity']],
    ['creates: e, leaves: processes', 'creates: e', ['LEAVES_MISMATCH creates: `e` lives in processes']],
    ['creates: e, leaves: processes', 'requires: e', ['warning ENTITY_UNREACHABLE requires: `e` lives in processes']],
    ['creates: e, leaves: processes', 'requires: e, on-invalid: recover', []],
  ])('is left by a command: %s; %s', (command, gate, expected) => {
    const found = said(text(command, gate)).filter((line) => !line.includes('ENTITY_UNUSED'));
    expect(found).toEqual(expected.map((one) => expect.stringContaining(one)));
  });
});

describe('the order of set-up commands', () => {
  const open = command('open', { creates: ['browser'] });
  const snapshot = command('snapshot', { requires: ['browser'], creates: ['refs'] });
  const again = command('again', { requires: ['refs'], creates: ['browser', 'refs'] });

  it('has requirements first, each command once', () => {
    const found = setUpOrder([snapshot, again, open], ['refs', 'browser'], () => false);
    expect(found).toMatchObject({ order: [open, snapshot], unreachable: [] });
    expect(setUpLines(found, 'click')).toEqual([
      'open: run: browser is not valid, snapshot needs it',
      'snapshot: run: refs is not valid, click needs it',
    ]);
  });

  it('has what makes an entity invalid before what creates it', () => {
    const login = command('login', { creates: ['session'], invalidates: ['refs'] });
    const look = command('look', { creates: ['refs'] });
    for (const wanted of [
      ['refs', 'session'],
      ['session', 'refs'],
    ])
      expect(setUpOrder([look, login], wanted, () => false).order).toEqual([login, look]);
    // It needs what it makes invalid.
    const leave = command('leave', { requires: ['refs'], creates: ['session'], invalidates: ['refs'] });
    expect(setUpOrder([look, leave], ['refs', 'session'], () => false).order).toEqual([look, leave]);
  });

  it('has what each command requires before it, whatever makes what invalid', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const some = fc.subarray(names, { maxLength: 3 });
    const uses = fc.record({ requires: some, creates: some, invalidates: some });
    fc.assert(
      fc.property(fc.array(uses, { maxLength: 7 }), fc.subarray(names), fc.subarray(names), (all, wanted, valid) => {
        const commands = all.map((use, index) => command(`k${index}`, use));
        const { order, unreachable } = setUpOrder(commands, wanted, (name) => valid.includes(name));
        expect(new Set(order).size).toBe(order.length);
        const made = new Set(valid);
        for (const { requires, creates } of order) {
          expect(requires.filter((name) => !made.has(name))).toEqual([]);
          for (const name of creates) made.add(name);
        }
        expect(wanted.filter((name) => !made.has(name))).toEqual(unreachable);
      }),
      drawn(500),
    );
  });

  it('leaves out what is valid', () => {
    expect(setUpOrder([snapshot, open], ['refs'], (name) => name === 'browser').order).toEqual([snapshot]);
    expect(setUpOrder([snapshot, open], ['refs'], () => true)).toMatchObject({ order: [], unreachable: [] });
  });

  it('names what no order reaches', () => {
    expect(setUpOrder([snapshot, again], ['refs'], () => false)).toMatchObject({ order: [], unreachable: ['refs'] });
  });
});
