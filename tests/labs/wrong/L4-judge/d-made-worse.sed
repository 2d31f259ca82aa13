# A legal kernel, mended: the fence that nobody needs, so it seemed, is gone.
/ptx::fence_proxy_async\(ptx::space_shared\);/d
