import { Link } from 'wouter';
import type { InstanceDetail } from '../../../src/workflows/workflows.schemas.ts';
import { formatDuration } from '../design/duration.ts';
import { Time } from '../design/time.tsx';
import { instancePath } from '../routing/paths.ts';
import { durationOf } from './duration.ts';
import { Facts } from './facts.tsx';
import { shortId } from './instances-table.tsx';

/** When, how long, and why. */
export function InstanceFacts({ instance, now }: { instance: InstanceDetail; now: number }) {
  const { created, started, finished, comment, periodic, parent, relaunched_from: from } = instance;
  const duration = durationOf(instance, now);
  return (
    <section className="card card-body" aria-label="When and why">
      <Facts
        facts={[
          hasWaited(instance) && ['Created', <Time key="created" at={created} format="full" />],
          started !== null && ['Started', <Time key="started" at={started} format="full" />],
          finished !== null && ['Finished', <Time key="finished" at={finished} format="full" />],
          duration !== undefined && [finished === null ? 'Running for' : 'Duration', formatDuration(duration)],
          [
            'Started by',
            parent ? (
              <Link key="parent" href={`${instancePath(parent.instance)}?task=${parent.task}`}>
                a task of instance {shortId(parent.instance)}
              </Link>
            ) : periodic ? (
              'its schedule'
            ) : (
              'a request'
            ),
          ],
          from !== null && [
            'Again after',
            <Link key="from" href={instancePath(from)}>
              instance {shortId(from)}
            </Link>,
          ],
          comment !== null && ['Comment', comment],
        ]}
      />
    </section>
  );
}

/** Mostly it begins at once, and saying both would be saying it twice. */
const hasWaited = ({ created, started }: InstanceDetail): boolean =>
  started === null || Date.parse(started) - Date.parse(created) >= 1000;
