import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

const brotli = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
// Below this a packet is saved at best, and time is lost for certain.
const thresholdBytes = 2048;
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const gzipOptions = { level: 4 };

/** Large answers are compressed for those who accept it: whole ones in the thread pool, streams as they flow. */
export function registerCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isStream = payload instanceof Readable;
    const isLarge =
      isStream || ((typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= thresholdBytes);
    if (!isLarge || reply.hasHeader('content-encoding') || !isCompressible(reply.getHeader('content-type'))) {
      done(null, payload);
      return;
    }
    void reply.header('vary', 'accept-encoding');
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    if (encoding === undefined || request.method === 'HEAD') {
      done(null, payload);
      return;
    }
    void reply.header('content-encoding', encoding).removeHeader('content-length');
    if (isStream) {
      const compressor = encoding === 'br' ? createBrotliCompress(brotliOptions) : createGzip(gzipOptions);
      payload.once('error', (error) => compressor.destroy(error));
      compressor.once('close', () => payload.destroy());
      done(null, payload.pipe(compressor));
      return;
    }
    const whole = payload;
    (encoding === 'br' ? brotli(whole, brotliOptions) : gzipAsync(whole, gzipOptions)).then(
      (bytes) => done(null, bytes),
      done,
    );
  });
}

const isCompressible = (type: unknown): boolean =>
  typeof type === 'string' && /json|text|xml|javascript|svg/.test(type);

/** `gzip` or `br`, unless the caller forbids it with `;q=0`. */
export function chooseEncoding(accepted: string | undefined): 'br' | 'gzip' | undefined {
  if (accepted === undefined) return undefined;
  const names = accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.trim().split(/\s*;\s*/))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([name]) => name);
  if (names.includes('br')) return 'br';
  return names.includes('gzip') || names.includes('*') ? 'gzip' : undefined;
}
