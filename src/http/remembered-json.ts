import type { FastifyReply } from 'fastify';

/**
 * For answers that are made of one remembered value: its JSON is written once and kept as long as the value itself. A value that changes
 * is a new object, so an answer is never older than what it was made of.
 *
 * A handler that waited before must return the reply: Fastify takes a promise of nothing for an empty answer if the real one is still
 * being compressed.
 */
export function createRememberedJson<T extends object>(toAnswer: (value: T) => object) {
  const texts = new WeakMap<T, string>();
  return <Reply extends Pick<FastifyReply, 'type' | 'send'>>(reply: Reply, value: T): Reply => {
    let text = texts.get(value);
    if (text === undefined) {
      text = JSON.stringify(toAnswer(value));
      texts.set(value, text);
    }
    void reply.type('application/json; charset=utf-8').send(text);
    return reply;
  };
}
