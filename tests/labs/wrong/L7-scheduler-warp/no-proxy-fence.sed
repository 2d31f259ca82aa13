# Nobody closes the reads for the async proxy.
/fence_proxy_async/d
