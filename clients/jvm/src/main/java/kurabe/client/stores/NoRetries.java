package kurabe.client.stores;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import com.datastax.oss.driver.api.core.context.DriverContext;
import com.datastax.oss.driver.api.core.retry.RetryDecision;
import com.datastax.oss.driver.api.core.retry.RetryPolicy;
import com.datastax.oss.driver.api.core.retry.RetryVerdict;
import com.datastax.oss.driver.api.core.servererrors.CoordinatorException;
import com.datastax.oss.driver.api.core.servererrors.WriteType;
import com.datastax.oss.driver.api.core.session.Request;

/** No retry is hidden: whatever goes wrong is told. Cassandra's driver makes it by its name. */
public final class NoRetries implements RetryPolicy {
    /** As the driver calls it. */
    public NoRetries(DriverContext context, String profile) {}

    @Override
    public RetryVerdict onReadTimeoutVerdict(
            Request request, ConsistencyLevel level, int wanted, int received, boolean hasData, int retries) {
        return RetryVerdict.RETHROW;
    }

    @Override
    public RetryVerdict onWriteTimeoutVerdict(
            Request request, ConsistencyLevel level, WriteType type, int wanted, int received, int retries) {
        return RetryVerdict.RETHROW;
    }

    @Override
    public RetryVerdict onUnavailableVerdict(
            Request request, ConsistencyLevel level, int wanted, int alive, int retries) {
        return RetryVerdict.RETHROW;
    }

    @Override
    public RetryVerdict onRequestAbortedVerdict(Request request, Throwable error, int retries) {
        return RetryVerdict.RETHROW;
    }

    @Override
    public RetryVerdict onErrorResponseVerdict(Request request, CoordinatorException error, int retries) {
        return RetryVerdict.RETHROW;
    }

    @Override
    @Deprecated
    public RetryDecision onReadTimeout(
            Request request, ConsistencyLevel level, int wanted, int received, boolean hasData, int retries) {
        return RetryDecision.RETHROW;
    }

    @Override
    @Deprecated
    public RetryDecision onWriteTimeout(
            Request request, ConsistencyLevel level, WriteType type, int wanted, int received, int retries) {
        return RetryDecision.RETHROW;
    }

    @Override
    @Deprecated
    public RetryDecision onUnavailable(Request request, ConsistencyLevel level, int wanted, int alive, int retries) {
        return RetryDecision.RETHROW;
    }

    @Override
    @Deprecated
    public RetryDecision onRequestAborted(Request request, Throwable error, int retries) {
        return RetryDecision.RETHROW;
    }

    @Override
    @Deprecated
    public RetryDecision onErrorResponse(Request request, CoordinatorException error, int retries) {
        return RetryDecision.RETHROW;
    }

    @Override
    public void close() {}
}
