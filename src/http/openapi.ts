import { STATUS_CODES } from 'node:http';
import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { Access } from '../identity/access.ts';
import { version } from '../version.ts';
import { type OpenApiDocument, renderDocsPage } from './docs-page.ts';
import { errorBody } from './schemas.ts';
import type { Server } from './server.ts';

/** The interface as OpenAPI 3.1 and as a page, both made from the schemas that validate. Call it before the routes are added. */
export async function registerOpenApi(app: Server): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Faultline',
        version,
        description:
          'What depends on this and what breaks with it, how well did it work, and who does something about it. ' +
          'Every failure has one shape (schema Error), and every answer carries X-Request-Id.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'A token from POST /v1/users/me/tokens' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'faultline_session',
            description: 'Set by POST /v1/session; changes also need X-CSRF-Token',
          },
        },
      },
    },
    transform: (document) => {
      const { schema, url, route } = document;
      const described =
        schema && !schema.hide ? { ...schema, ...accessOf(route.config?.access ?? 'open', schema) } : { hide: true };
      return jsonSchemaTransform({ ...document, schema: described, url });
    },
    transformObject: (document) => tidy(jsonSchemaTransformObject(document) as OpenApiDocument), // we make OpenAPI, not Swagger 2
  });

  let document: string | undefined;
  let page: string | undefined;
  app.get('/openapi.json', {
    config: { access: 'open' },
    schema: { hide: true },
    handler: (_request, reply) => {
      document ??= JSON.stringify(app.swagger());
      return reply.type('application/json; charset=utf-8').serializer(String).send(document);
    },
  });
  app.get('/docs', {
    config: { access: 'open' },
    schema: { hide: true },
    handler: (_request, reply) => {
      page ??= renderDocsPage(app.swagger() as OpenApiDocument); // the part of the document that the page shows
      return reply.type('text/html; charset=utf-8').serializer(String).send(page);
    },
  });
}

function accessOf(access: Access, schema: FastifySchema & { description?: string }): FastifySchema {
  const about = schema.description === undefined ? '' : `${schema.description} `;
  const response = { ...(schema.response as object), default: errorBody }; // fastify leaves the type of `response` open
  if (access === 'open') return { response, security: [], description: `${about}Open to everybody.` };
  const role = access.team ? ` and the role ${access.team} in the team` : '';
  const admin = access.scope === 'Admin' ? ' and an administrator' : '';
  return {
    response,
    security: [{ bearer: [] }, { session: [] }],
    description: `${about}Needs the scope ${access.scope}${admin}${role}.`,
  };
}

/** Says what each status means, and leaves out schemas that nothing refers to (one of each is made for requests and for answers). */
function tidy(document: OpenApiDocument): OpenApiDocument {
  for (const operation of Object.values(document.paths).flatMap((operations) => Object.values(operations))) {
    for (const [status, answer] of Object.entries(operation.responses ?? {})) {
      if (answer.description === 'Default Response') {
        answer.description = status === 'default' ? 'Any failure' : STATUS_CODES[status];
      }
    }
  }
  const schemas = document.components?.schemas ?? {};
  for (let isDone = false; !isDone; ) {
    const text = JSON.stringify(document);
    const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    for (const name of unused) delete schemas[name];
    isDone = unused.length === 0;
  }
  return document;
}
