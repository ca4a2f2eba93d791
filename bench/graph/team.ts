import type { Service } from '../../test/harness/service.ts';

export async function createTeam(service: Service, name: string): Promise<string> {
  const answer = await fetch(`${service.url}/v1/teams`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
  if (answer.status !== 201) throw new Error(`POST /v1/teams answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id; // our own interface
}
