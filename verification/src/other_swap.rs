//! Platforms that differ from one of the library's in their arc-swap only.

/// Makes a platform that is `$base` with another arc-swap.
macro_rules! with_other_swap {
    ($(#[$attribute:meta])* $name:ident: $called:literal, $base:ty, $swap:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl snapring::platform::Platform for $name {
            const NAME: &'static str = $called;

            type Mutex<T: Send + 'static> = <$base as snapring::platform::Platform>::Mutex<T>;
            type RwLock<T: Send + Sync + 'static> = <$base as snapring::platform::Platform>::RwLock<T>;
            type AtomicU64 = <$base as snapring::platform::Platform>::AtomicU64;
            type AtomicPtr<T: 'static> = <$base as snapring::platform::Platform>::AtomicPtr<T>;
            type Arc<T: Send + Sync + 'static> = <$base as snapring::platform::Platform>::Arc<T>;
            type ArcSwap<T: Send + Sync + 'static> = $swap<Self::Arc<T>>;
            type Epoch = <$base as snapring::platform::Platform>::Epoch;
            type Witness = <$base as snapring::platform::Platform>::Witness;

            fn ordering(site: &'static snapring::orderings::Site) -> std::sync::atomic::Ordering {
                <$base as snapring::platform::Platform>::ordering(site)
            }

            fn fence(ordering: std::sync::atomic::Ordering) {
                <$base as snapring::platform::Platform>::fence(ordering);
            }
        }
    };
}

pub(crate) use with_other_swap;
