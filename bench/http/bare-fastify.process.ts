/** The peer: one Fastify route without hooks, schemas or a logger, which sends bytes that it was given. */
import Fastify from 'fastify';

const { BODY = '', CONTENT_TYPE = '', ROUTE = '/' } = process.env;
const app = Fastify({ logger: false });
app.get(ROUTE, (_request, reply) => {
  reply.header('content-type', CONTENT_TYPE).send(BODY);
});
const address = await app.listen({ host: '127.0.0.1', port: 0 });
process.stdout.write(`listening at ${address}\n`);
