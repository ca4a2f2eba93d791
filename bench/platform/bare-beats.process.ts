/** A route that takes the same beats and does nothing with them: what the requests alone cost. */
import Fastify from 'fastify';

const app = Fastify({ keepAliveTimeout: 75_000 });
app.post('/services/heartbeat', (_request, reply) => void reply.code(204).send());
process.stdout.write(`listening at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
