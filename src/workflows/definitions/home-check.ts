import type { Json } from '../plan.ts';
import { compileDefinition, type Definition, type Surroundings } from './compile.ts';
import { check, complaintsAbout } from './complaints.ts';
import { type Fault, sortFaults, suggest } from './fault.ts';
import { fullnamePattern, remoteFile } from './format.schemas.ts';
import type { HomeFile } from './home-files.ts';
import { builtInNames } from './item-body.ts';
import { type QueueLimits, readQueues } from './queues.ts';
import { reservedProject } from './reserved-project.ts';
import { readSchemas } from './schema-files.ts';
import { findWorkflowCycles } from './sub-workflows.ts';
import { findTaskExports } from './task-exports.ts';
import { type Place, readYaml, type YamlSource } from './yaml-source.ts';

/** Everything that the files of a home say, good and bad. */
export type HomeReport = {
  definitions: Map<string, Definition>;
  queues: Map<string, QueueLimits>;
  /** Names of tasks from files and tasks/remote.yml. */
  tasks: string[];
  faults: Fault[];
  /** Definitions that are there but cannot be used. */
  faulty: Set<string>;
  /** Files that cannot be read as YAML, so nobody knows what they define. */
  unreadable: Set<string>;
};

export function checkHome(files: HomeFile[], nowMs: number, names = homeNames): HomeReport {
  const steps = checkInSteps(files, nowMs, names);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Which tasks need no file, and whose names the files may not take. */
type KnownNames = { builtIn: readonly string[]; reservedProject: string | undefined };
const homeNames: KnownNames = { builtIn: builtInNames, reservedProject };

/** When everything is unknown, a guess for each would take seconds and help nobody. */
const maxGuesses = 100;

/** Stops after every file and definition, so that a process with other things to do can do them in between. */
export function* checkInSteps(files: HomeFile[], nowMs: number, names = homeNames): Generator<undefined, HomeReport> {
  const faults: Fault[] = [];
  const unreadable = new Set<string>();
  for (const file of files) {
    if (!('problem' in file)) continue;
    unreadable.add(file.path);
    faults.push({ file: file.path, line: 1, column: 1, message: file.problem });
  }
  const readable = files.flatMap((file) => ('text' in file ? [file] : []));
  const tasks = readTasks(readable, faults);
  const schemas = readSchemas(readable, faults);
  const { queues, sources } = yield* readYamlFiles(readable, faults, unreadable);
  const { entries, faulty } = collectDefinitions(sources, faults, names.reservedProject);
  const taskNames = [...new Set([...tasks.owners.keys(), ...names.builtIn])];
  let guesses = 0;
  const surroundings: Surroundings = {
    isTask: (name) => tasks.owners.has(name) || names.builtIn.includes(name),
    taskNames: () => (guesses++ < maxGuesses ? taskNames : []),
    isWorkflow: (name) => entries.has(name),
    workflowNames: () => entries.keys(),
    findSchema: (name) => schemas.get(name),
    schemaNames: () => schemas.keys(),
    nowMs,
  };
  const definitions = new Map<string, Definition>();
  const calls = new Map<string, Map<string, Place>>();
  for (const [fullname, { source, value }] of entries) {
    yield;
    const complaints = complaintsAbout(source, fullname);
    const place = source.place.children.get(fullname) ?? source.place;
    const compiled = compileDefinition(fullname, value, place, source.file, surroundings, complaints);
    faults.push(...complaints.faults);
    if (compiled && !faulty.has(fullname)) {
      definitions.set(fullname, compiled.definition);
      calls.set(fullname, compiled.calls);
    } else faulty.add(fullname);
  }
  for (const { fullname, next, message } of findWorkflowCycles(definitions)) {
    const offset = calls.get(fullname)?.get(next)?.value ?? 0;
    faults.push(
      ...[entries.get(fullname)?.source.fault(offset, message, fullname)].filter((fault) => fault !== undefined),
    );
    definitions.delete(fullname);
    faulty.add(fullname);
  }
  faults.push(...findAmbiguousTasks(tasks, definitions));
  return { definitions, queues, tasks: [...tasks.owners.keys()], faults: sortFaults(faults), faulty, unreadable };
}

type TextFile = { path: string; text: string };
type Tasks = { owners: Map<string, string>; doubles: { name: string; fault: Fault }[] };

function readTasks(files: TextFile[], faults: Fault[]): Tasks {
  const owners = new Map<string, string>();
  const doubles: Tasks['doubles'] = [];
  for (const { path, text } of files) {
    if (!path.startsWith('tasks/') || path.endsWith('.yml')) continue;
    for (const { name, offset } of findTaskExports(text)) {
      const owner = owners.get(name);
      const message = `The task "${name}" is exported by ${owner ?? ''} too; rename one of them.`;
      if (owner !== undefined && owner !== path)
        doubles.push({ name, fault: { file: path, ...lineOf(text, offset), message } });
      else owners.set(name, path);
    }
  }
  for (const { path, text } of files) {
    if (path !== 'tasks/remote.yml') continue;
    const source = readYaml(path, text);
    faults.push(...source.faults);
    if (source.value === undefined || source.value === null) continue;
    const complaints = complaintsAbout(source, undefined);
    for (const name of check(remoteFile, source.value, source.place, 'tasks/remote.yml', complaints) ?? []) {
      if (!owners.has(name)) owners.set(name, path);
    }
    faults.push(...complaints.faults);
  }
  return { owners, doubles };
}

/** Two files of helpers may well export the same name; it matters only when a workflow uses it. */
function findAmbiguousTasks({ doubles }: Tasks, definitions: Map<string, Definition>): Fault[] {
  const used = new Set([...definitions.values()].flatMap(({ plan }) => plan.items.map(({ run }) => run)));
  return doubles.filter(({ name }) => used.has(name)).map(({ fault }) => fault);
}

function* readYamlFiles(
  files: TextFile[],
  faults: Fault[],
  unreadable: Set<string>,
): Generator<undefined, { queues: Map<string, QueueLimits>; sources: YamlSource[] }> {
  const sources: YamlSource[] = [];
  let queues = new Map<string, QueueLimits>();
  for (const { path, text } of files) {
    const isQueues = /^queues\.ya?ml$/.test(path);
    if (!isQueues && !/^workflows(\/.*)?\.ya?ml$/.test(path)) continue;
    yield;
    const source = readYaml(path, text);
    faults.push(...source.faults);
    if (source.value === undefined) unreadable.add(path);
    else if (isQueues) queues = readQueues(source, faults);
    else sources.push(source);
  }
  // workflows.yml comes before workflows/: of two definitions with one name it is the one that holds.
  return { queues, sources: sources.toSorted((a, b) => depth(a) - depth(b)) };
}

const depth = ({ file }: YamlSource): number => (file.includes('/') ? 1 : 0);

type Entry = { source: YamlSource; value: Json };

function collectDefinitions(
  sources: YamlSource[],
  faults: Fault[],
  reserved: string | undefined,
): { entries: Map<string, Entry>; faulty: Set<string> } {
  const entries = new Map<string, Entry>();
  const faulty = new Set(sources.flatMap((source) => source.faults.flatMap(({ workflow }) => workflow ?? [])));
  for (const source of sources) {
    const { value, place } = source;
    if (value === null || value === undefined) continue;
    if (typeof value !== 'object' || Array.isArray(value)) {
      faults.push(source.fault(place.value, 'A file of definitions is a mapping of project.NAME to definitions.'));
      continue;
    }
    for (const [fullname, body] of Object.entries(value)) {
      const at = place.children.get(fullname)?.key ?? place.value;
      const former = entries.get(fullname);
      if (!fullnamePattern.test(fullname)) {
        const advice = fullname.includes('.')
          ? 'Use letters, digits, "_" and "-" in it.'
          : suggest(fullname, entries.keys());
        faults.push(
          source.fault(
            at,
            `"${fullname}" must be a project and a name with a dot between them, such as shop.ORDER. ${advice}`.trim(),
          ),
        );
      } else if (fullname.split('.', 1)[0] === reserved) {
        faults.push(source.fault(at, `The project "${reserved}" is the service's own; choose another name.`));
      } else if (former) {
        faults.push(
          source.fault(
            at,
            `The workflow "${fullname}" is already defined in ${former.source.file}; rename or remove one.`,
          ),
        );
      } else entries.set(fullname, { source, value: body });
    }
  }
  return { entries, faulty };
}

function lineOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
