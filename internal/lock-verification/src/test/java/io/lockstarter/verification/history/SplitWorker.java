package io.lockstarter.verification.history;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.lockstarter.core.backend.LockBackend;
import io.lockstarter.core.backend.TenureId;
import io.lockstarter.verification.history.worker.Worker;

/**
 * Worker with a planted mistake: each JVM uses different locks.
 */
public final class SplitWorker {

	private SplitWorker() {
	}

	public static void main(String[] arguments) throws InterruptedException {
		Worker.run(arguments, (backend) -> new Split(backend, arguments[0] + "/"));
	}

	/**
	 * Backend that adds a prefix to the name of every lock.
	 *
	 * @param target the actual backend
	 * @param prefix the prefix
	 */
	private record Split(LockBackend target, String prefix) implements LockBackend {

		private Acquire split(Acquire command) {
			return new Acquire(this.prefix + command.name(), command.tenure(), command.type(), command.holder(),
					command.lease(), command.waiting(), command.permits());
		}

		@Override
		public CompletableFuture<AcquireReply> acquire(Acquire command) {
			return this.target.acquire(split(command));
		}

		@Override
		public CompletableFuture<Release.Reply> release(Release command) {
			Acquire next = command.next();
			return this.target.release(new Release(this.prefix + command.name(), command.tenure(), command.intent(),
					(next != null) ? split(next) : null, command.allReplied()));
		}

		@Override
		public List<CompletableFuture<RenewalReply>> renew(List<Renew> commands) {
			return this.target.renew(commands.stream()
				.map((command) -> new Renew(this.prefix + command.name(), command.tenure(), command.holds(),
						command.lease()))
				.toList());
		}

		@Override
		public CompletableFuture<Boolean> shortenLease(String name, TenureId tenure, Duration rest) {
			return this.target.shortenLease(this.prefix + name, tenure, rest);
		}

		@Override
		public CompletableFuture<CurrentHolders> holders(String name) {
			return this.target.holders(this.prefix + name);
		}

		@Override
		public CompletableFuture<Page> names(String from, int size) {
			return this.target.names(from, size);
		}

		@Override
		public void listen(WakeListener listener) {
			this.target.listen(new WakeListener() {

				@Override
				public void wake(String name) {
					listener.wake(name.substring(Split.this.prefix.length()));
				}

				@Override
				public void contended(String name) {
					listener.contended(name.substring(Split.this.prefix.length()));
				}

				@Override
				public void forceReleased(String name) {
					listener.forceReleased(name.substring(Split.this.prefix.length()));
				}

				@Override
				public void granted(String name, DirectGrant offer) {
					listener.granted(name.substring(Split.this.prefix.length()), offer);
				}

				@Override
				public void messagesMissed() {
					listener.messagesMissed();
				}

			});
		}

		@Override
		public String clientId() {
			return this.target.clientId();
		}

		@Override
		public CompletableFuture<?> connect() {
			return this.target.connect();
		}

		@Override
		public boolean isSubscribed() {
			return this.target.isSubscribed();
		}

		@Override
		public CompletableFuture<Map<String, Object>> probe() {
			return this.target.probe();
		}

		@Override
		public void close() {
			this.target.close();
		}

	}

}
