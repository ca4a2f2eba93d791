import type { Readable } from 'node:stream';
import { badRequest, conflict, notFound, tooManyRequests } from '../../errors.ts';
import type { Actor } from '../../identity/access.ts';
import type { OutboundGuard } from '../../workflows/worker/outbound.ts';
import { type Secrets, SecretUnreadable } from '../secrets.ts';
import { ndjsonUrlSettings } from './built-in-settings.ts';
import { type ConfigValues, completeConfig, passwordKeys, placesOf } from './config-values.ts';
import { type Drivers, parseConfig, protocolsOf } from './drivers.ts';
import { passwordPlaceholder } from './integrations.schemas.ts';
import type { IntegrationContent, IntegrationRow, IntegrationsStore } from './integrations.store.ts';
import type { IntegrationModel } from './models.schemas.ts';
import type { ModelsService } from './models.service.ts';
import { openNdjsonUrl } from './ndjson-url.ts';
import { redact } from './redact.ts';
import { type MetricSource, SourceFailure } from './sources/metric-source.ts';

export type IntegrationsService = ReturnType<typeof createIntegrationsService>;
export type TestOutcome = { ok: boolean; message: string; took_ms: number };

const mostIntegrations = 1000;
const mostCallsOfTeam = 5;
const testWithinMs = 30_000;
const importWithinMs = 3_600_000;

/** Teams' integrations: models with a configuration. Passwords are sealed on the way in and opened only for the calls that need them. */
export function createIntegrationsService<ImportResult>(deps: {
  store: IntegrationsStore;
  models: ModelsService;
  secrets: Secrets;
  drivers: Drivers;
  guard: OutboundGuard;
  ingest: (teamId: string, source: AsyncIterable<Uint8Array>, actor: Actor) => Promise<ImportResult>;
  /** Names of the checks that take their measurements from it. */
  listUsers: (teamId: string, id: string) => Promise<string[]>;
  /** Milliseconds, for how long things took. */
  elapsed: () => number;
}) {
  const { store, models, secrets, drivers } = deps;
  const callsOfTeam = new Map<string, number>();

  async function get(teamId: string, id: string): Promise<IntegrationRow> {
    const row = await store.find(teamId, id);
    if (!row) throw unknownIntegration();
    return row;
  }

  const openAll = (row: IntegrationRow): Record<string, string> =>
    Object.fromEntries(Object.entries(row.secrets).map(([key, sealed]) => [key, secrets.open(sealed)]));

  /** What to write for a configuration that was sent; `former` is what is there. */
  function contentOf(
    model: IntegrationModel,
    name: string,
    given: ConfigValues,
    former?: IntegrationRow,
  ): IntegrationContent {
    const findKept = (key: string): string | undefined => {
      const sealed = former?.secrets[key];
      return sealed === undefined ? undefined : openKept(secrets, sealed, key);
    };
    const { values, complaints } = completeConfig(model, given, findKept);
    if (complaints.length > 0) {
      const [{ path, message }] = complaints;
      throw badRequest(`The configuration does not fit the model "${model.name}": ${path} ${message}.`, complaints);
    }
    if (former) refuseMovedPasswords(model, given, former.config, values);
    const hidden = new Set(passwordKeys(model.default_config));
    const entries = Object.entries(values);
    return {
      name,
      config: Object.fromEntries(entries.filter(([key]) => !hidden.has(key))),
      secrets: Object.fromEntries(
        entries.filter(([key]) => hidden.has(key)).map(([key, value]) => [key, secrets.seal(String(value))]),
      ),
    };
  }

  /** The row, its model and its whole configuration, for a call to the outside. */
  async function prepare(row: IntegrationRow) {
    const model = await models.find(row.model);
    if (!model) throw new SourceFailure(`The model "${row.model}" of this integration is no longer there.`);
    if (model.disabled) throw new SourceFailure(`The model "${model.name}" is switched off by an administrator.`);
    const opened = openAll(row);
    // As basic authentication they travel together, and whoever repeats that gives away both.
    const basic = Buffer.from(`${String(row.config['user'] ?? '')}:${opened['password'] ?? ''}`).toString('base64');
    return { model, config: { ...row.config, ...opened }, opened: [...Object.values(opened), basic] };
  }

  /** A team cannot keep more than a few calls under way. */
  async function takingTurns<Result>(teamId: string, call: () => Promise<Result>): Promise<Result> {
    const underWay = callsOfTeam.get(teamId) ?? 0;
    if (underWay >= mostCallsOfTeam) {
      throw tooManyRequests('Calls of this team to integrations are under way already; wait for them to end.', 5);
    }
    callsOfTeam.set(teamId, underWay + 1);
    try {
      return await call();
    } finally {
      const left = (callsOfTeam.get(teamId) ?? 1) - 1;
      if (left === 0) callsOfTeam.delete(teamId);
      else callsOfTeam.set(teamId, left);
    }
  }

  return {
    list: (teamId: string) => store.list(teamId),
    get,

    async create(
      teamId: string,
      given: { name: string; model: string; config: ConfigValues },
      actor: Actor,
    ): Promise<IntegrationRow> {
      const model = await models.find(given.model);
      if (!model) throw unknownModel();
      if (model.disabled)
        throw conflict(`The model "${model.name}" is switched off; an administrator can switch it on.`);
      const content = contentOf(model, given.name, given.config);
      const origin = { name: model.name, isBuiltIn: model.builtin };
      const outcome = await store.create(teamId, origin, content, mostIntegrations, actor);
      if (outcome === 'taken') throw nameTaken(given.name);
      if (outcome === 'full') throw conflict(`A team has at most ${mostIntegrations} integrations; delete some first.`);
      if (outcome === 'no model') throw unknownModel();
      if (outcome === 'no team') throw notFound('There is no such team; GET /v1/teams lists yours.');
      return outcome;
    },

    async update(
      teamId: string,
      id: string,
      given: { name?: string; model?: string; config: ConfigValues },
      actor: Actor,
    ): Promise<IntegrationRow> {
      const { model: modelName } = await get(teamId, id);
      if (given.model !== undefined && given.model !== modelName) {
        throw badRequest('An integration keeps its model; create another one instead.', [
          { path: 'model', message: `must be "${modelName}", or left out` },
        ]);
      }
      const model = await models.find(modelName);
      if (!model) throw unknownModel();
      const decide = (former: IntegrationRow) => contentOf(model, given.name ?? former.name, given.config, former);
      const outcome = await store.update(teamId, id, decide, actor);
      if (outcome === 'taken') throw nameTaken(given.name ?? '');
      if (!outcome) throw unknownIntegration();
      return outcome;
    },

    async delete(teamId: string, id: string, actor: Actor): Promise<void> {
      const outcome = await store.delete(teamId, id, actor);
      if (outcome === 'absent') throw unknownIntegration();
      if (outcome === 'used') throw conflict(stillUsed(await deps.listUsers(teamId, id)));
    },

    /** Whether the configuration really connects. What is wrong is an answer, not an error. */
    async test(teamId: string, id: string): Promise<TestOutcome> {
      const row = await get(teamId, id);
      const startedAt = deps.elapsed();
      let known: string[] = [];
      const outcome = await takingTurns(teamId, async () => {
        try {
          const { model, config, opened } = await prepare(row);
          known = opened;
          const tester = drivers.findTester(model);
          if (!tester)
            throw new SourceFailure(`The model "${model.name}" has nothing that could be called for a test.`);
          return { ok: true, message: await tester(config, AbortSignal.timeout(testWithinMs)) };
        } catch (error) {
          return { ok: false, message: reasonOf(error) };
        }
      });
      return { ...outcome, message: redact(outcome.message, known), took_ms: Math.round(deps.elapsed() - startedAt) };
    },

    /** Fetches messages and adds them to the team's graph. */
    async import(teamId: string, id: string, actor: Actor): Promise<ImportResult> {
      const row = await get(teamId, id);
      return takingTurns(teamId, async () => {
        let known: string[] = [];
        let source: Readable;
        try {
          const { model, config, opened } = await prepare(row);
          known = opened;
          if (!protocolsOf(model).includes('ndjson-url')) throw new SourceFailure('This integration imports no graph.');
          const settings = parseConfig(ndjsonUrlSettings, config);
          source = await openNdjsonUrl(settings, deps.guard, AbortSignal.timeout(importWithinMs));
        } catch (error) {
          throw conflict(`Nothing was imported. ${redact(reasonOf(error), known)}`);
        }
        // What came before the break is in the graph, and sending it again is harmless.
        let isBroken = false;
        const lines = untilBroken(source, () => (isBroken = true));
        const result = await deps.ingest(teamId, lines, actor).finally(() => source.destroy());
        if (isBroken) throw conflict('The answer broke off, and only its beginning was imported; import again.');
        return result;
      });
    },

    /** For whoever computes with measurements: by id or by name. Failures are SourceFailure or SecretUnreadable, without secrets. */
    async openSource(teamId: string, idOrName: string, signal?: AbortSignal): Promise<MetricSource> {
      const isId = /^[0-9a-f-]{36}$/.test(idOrName);
      const row = (isId && (await store.find(teamId, idOrName))) || (await store.findByName(teamId, idOrName));
      if (!row) throw unknownIntegration();
      const { model, config, opened } = await prepare(row);
      const open = drivers.findSource(model);
      if (!open) throw new SourceFailure(`The integration "${row.name}" is no source of measurements.`);
      const source = open(config, signal);
      const withoutSecrets = (error: unknown): never => {
        const isPermanent = error instanceof SourceFailure && error.isPermanent;
        throw new SourceFailure(redact(reasonOf(error), opened), { isPermanent });
      };
      return {
        test: () => source.test().catch(withoutSecrets),
        query: (...range) => source.query(...range).catch(withoutSecrets),
      };
    },
  };
}

async function* untilBroken(source: AsyncIterable<Uint8Array>, onBroken: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch {
    onBroken();
  }
}

/** What members see: placeholders where passwords are. */
export function shownConfig(row: Pick<IntegrationRow, 'config' | 'secrets'>): ConfigValues {
  const placeholders = Object.keys(row.secrets).map((key) => [key, passwordPlaceholder]);
  return { ...row.config, ...Object.fromEntries(placeholders) };
}

function openKept(secrets: Secrets, sealed: string, key: string): string {
  try {
    return secrets.open(sealed);
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    throw badRequest(error.message, [{ path: `config.${key}`, message: 'cannot be kept; send it again' }]);
  }
}

/** Who may change the address but does not know the password must not have it sent to a place of theirs. */
function refuseMovedPasswords(
  model: IntegrationModel,
  given: ConfigValues,
  former: ConfigValues,
  values: ConfigValues,
): void {
  const kept = passwordKeys(model.default_config).filter((key) => given[key] === passwordPlaceholder);
  if (kept.length === 0) return;
  if (placesOf(model.default_config, former) === placesOf(model.default_config, values)) return;
  throw badRequest(
    'The address is another one, and a stored password is not sent to another place; send the password again.',
    kept.map((key) => ({ path: `config.${key}`, message: 'must be sent again with a new address' })),
  );
}

/** Only what was written for people: anything else is told without its details. */
function reasonOf(error: unknown): string {
  if (error instanceof SourceFailure || error instanceof SecretUnreadable) return error.message;
  return 'The test could not be made; try again.';
}

const stillUsed = (checks: string[]): string =>
  `Checks take their measurements from it: ${checks.map((name) => `"${name}"`).join(', ')}; change or delete them first.`;
const nameTaken = (name: string) => conflict(`The team has an integration "${name}" already; choose another name.`);
const unknownIntegration = () => notFound('There is no such integration; GET …/integrations lists them.');
const unknownModel = () =>
  badRequest('There is no such integration model; GET /integration/models lists them.', [
    { path: 'model', message: 'is not the name of a model' },
  ]);
